#!/usr/bin/env bash
# Runs every test. Installs what they need, where it is missing: adb, libimobiledevice's programs, xmllint, openssl, Redis, Chromium, its
# WebDriver and a Chinese font by apt, Python packages into a venv under target/. Where it may not install, it names what is missing and
# stops. Debian's adbd, npm's mobile-mcp, its clients of MCP and what drives iPhones are fetched into target/, too; without them, the tests
# that need them are skipped, with the reason. The manual's site is made, too, by packages of Python.
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/.."

fail() {
    printf 'tests/all.sh: %s\n' "$@" >&2
    exit 1
}

# A registry that does not answer is waited for this long, and no longer.
within() {
    local limit=300
    command -v timeout >/dev/null || { "$@"; return; }
    timeout --kill-after=10 "$limit" "$@" && return
    local code=$?
    ((code == 124)) && echo "tests/all.sh: no end of \`$1 $2\` within $limit s: does its registry answer?" >&2
    return "$code"
}

# Whether Python can make a venv with pip in it.
can_make_venv() {
    python3 -c 'import ensurepip, venv' 2>/dev/null
}

# Debian packages of the programs that are not there.
missing_packages() {
    command -v adb >/dev/null || echo adb
    command -v idevice_id >/dev/null && command -v ideviceinfo >/dev/null || echo libimobiledevice-utils
    command -v iproxy >/dev/null || echo libusbmuxd-tools
    command -v xmllint >/dev/null || echo libxml2-utils
    command -v openssl >/dev/null || echo openssl
    command -v chromium >/dev/null || echo chromium
    command -v chromedriver >/dev/null || echo chromium-driver
    command -v python3 >/dev/null || echo python3
    command -v bwrap >/dev/null || echo bubblewrap
    command -v redis-server >/dev/null || echo redis-server
    # Pages draw Chinese, which is read from their pictures.
    [[ -n $(fc-list :lang=zh 2>/dev/null) ]] || printf '%s\n' fontconfig fonts-wqy-microhei
    can_make_venv || echo python3-venv
}

install_packages() {
    local missing
    mapfile -t missing < <(missing_packages)
    ((${#missing[@]})) || return 0
    local how="install with: apt-get install ${missing[*]}"
    command -v apt-get >/dev/null || fail "missing: ${missing[*]} (there is no apt-get; install them another way)"
    local apt=(apt-get)
    if ((EUID != 0)); then
        sudo -n true 2>/dev/null || fail "missing: ${missing[*]} (not root, so nothing was installed)" "$how"
        apt=(sudo -n apt-get)
    fi
    echo "installing ${missing[*]}" >&2
    { within "${apt[@]}" update -qq && DEBIAN_FRONTEND=noninteractive within "${apt[@]}" install -y -qq --no-install-recommends "${missing[@]}"; } >&2 ||
        fail "missing: ${missing[*]} (apt-get failed)" "$how"
    mapfile -t missing < <(missing_packages)
    ((${#missing[@]} == 0)) || fail "still missing after apt-get: ${missing[*]}"
}

# Starts in a third of the time of Chromium itself; not every system has the package.
install_headless_shell() {
    [[ -x /usr/lib/chromium/chromium-headless-shell ]] && return
    local apt=(apt-get)
    ((EUID == 0)) || apt=(sudo -n apt-get)
    echo "installing chromium-headless-shell" >&2
    DEBIAN_FRONTEND=noninteractive within "${apt[@]}" install -y -qq --no-install-recommends chromium-headless-shell >&2 ||
        echo "tests/all.sh: no chromium-headless-shell: pages are tested in Chromium itself, which takes longer" >&2
}

# The venv is made anew when its packages change.
install_clients() {
    local venv=target/test-venv wanted=tests/clients/requirements.txt
    cmp -s "$wanted" "$venv/installed.txt" && "$venv/bin/python" -c 'import adb_shell, adbutils, appium, hdc_rs_py, hdctool, hmdriver2, junitparser, mcp, wda' 2>/dev/null && return
    echo "installing the Python packages of $wanted" >&2
    { python3 -m venv --clear "$venv" && within "$venv/bin/pip" install -q --disable-pip-version-check -r "$wanted"; } >&2 ||
        fail "missing: the Python packages of $wanted (pip failed):" "$(tr '\n' ' ' <"$wanted")"
    cp "$wanted" "$venv/installed.txt"
}

fetch_adbd() {
    [[ -d target/adbd/root ]] && return
    echo "fetching Debian's adbd" >&2
    within tests/adbd/fetch.sh target/adbd >&2 || echo "tests/all.sh: skipped: what needs Debian's adbd, which could not be fetched" >&2
}

# Another project's server for agents, with what it needs as it was on a day when it was tried.
install_peer() {
    local folder=target/mobile-mcp
    [[ -d $folder/node_modules/@mobilenext/mobile-mcp ]] && return
    local skipped="tests/all.sh: skipped: mobile-mcp on the virtual phone,"
    command -v npm >/dev/null || { echo "$skipped since there is no npm" >&2; return; }
    (($(node -p 'process.versions.node.split(".")[0]') >= 20)) || { echo "$skipped which needs Node 20" >&2; return; }
    echo "installing npm's mobile-mcp" >&2
    mkdir -p "$folder"
    within npm install --prefix "$folder" --before 2026-11-20 --ignore-scripts --no-package-lock --no-audit --no-fund --loglevel error \
        @mobilenext/mobile-mcp@1.0.4 >&2 || { rm -rf "$folder"; echo "$skipped which npm could not install" >&2; }
}

# Clients of MCP that others wrote, the suite that holds a server to the protocol, and agent-device, which drives Harmony phones; they want
# a newer Node than Debian's.
install_mcp_clients() {
    local folder=target/mcp-clients wanted=tests/clients/npm.txt packages
    cmp -s "$wanted" "$folder/installed.txt" && return
    local skipped="tests/all.sh: skipped: npm's clients of MCP, and the conformance suite,"
    command -v npm >/dev/null || { echo "$skipped since there is no npm" >&2; return; }
    [[ $(uname -sm) == "Linux x86_64" ]] || { echo "$skipped whose Node is for Linux on x86_64" >&2; return; }
    echo "installing npm's packages of $wanted" >&2
    rm -rf "$folder" && mkdir -p "$folder"
    mapfile -t packages <"$wanted"
    within npm install --prefix "$folder" --before 2026-11-20 --ignore-scripts --no-package-lock --no-audit --no-fund --loglevel error \
        "${packages[@]}" >&2 || { rm -rf "$folder"; echo "$skipped which npm could not install" >&2; return; }
    cp "$wanted" "$folder/installed.txt"
}

# Appium's driver for iPhones, and go-ios, whose programs for other systems are most of what npm brings.
install_iphone_clients() {
    local folder=target/iphone-clients wanted=tests/clients/npm_iphone.txt packages
    cmp -s "$wanted" "$folder/installed.txt" && return
    local skipped="tests/all.sh: skipped: what Appium and go-ios do on the virtual iPhone,"
    command -v npm >/dev/null || { echo "$skipped since there is no npm" >&2; return; }
    echo "installing npm's packages of $wanted" >&2
    rm -rf "$folder" && mkdir -p "$folder"
    mapfile -t packages <"$wanted"
    within npm install --prefix "$folder" --before 2026-11-20 --ignore-scripts --omit=optional --no-package-lock --no-audit --no-fund \
        --loglevel error "${packages[@]}" >&2 || { rm -rf "$folder"; echo "$skipped which npm could not install" >&2; return; }
    find "$folder/node_modules/go-ios/dist" -mindepth 1 -maxdepth 1 ! -name 'go-ios-linux-*' -exec rm -rf {} +
    cp "$wanted" "$folder/installed.txt"
}

# The manual as a web site: its links hold, and both languages have the same pages.
check_site() {
    mkdir -p target
    within packaging/site.sh >target/site.txt 2>&1 || fail "packaging/site.sh: $(tail -n 20 target/site.txt)"
}

command -v cargo >/dev/null || fail "missing: cargo"
# The registries are waited for while the compiler works.
(
    install_packages
    install_headless_shell
    install_clients
    fetch_adbd
    install_peer
    install_mcp_clients
    install_iphone_clients
    check_site
) &
cargo test --locked --no-run --quiet --lib --bins --tests || { wait; fail "the tests could not be built"; }
wait $! || exit 1

# What reads texts in pictures, where .cargo/config.toml says.
UIXT_MODELS_DIR=$PWD/target/models within target/debug/uixt ocr install >/dev/null 2>&1 ||
    fail "the models that read texts could not be installed: does PyPI answer? (target/debug/uixt ocr install)"

# The packages with examples in their documentation, as options of cargo; to ask the others for theirs takes long.
documented() {
    find src crates/*/src -name '*.rs' -exec awk '
        FNR == 1 { open = 0 }
        /^ *\/\/[\/!] ```/ { if (!open && /```(rust|no_run|should_panic)?$/) print FILENAME; open = !open }
    ' {} + | sed -E 's#^crates/([^/]*)/.*#--package=uixt-\1#; s#^src/.*#--package=uixt#' | sort -u
}

# nextest does not run examples in documentation; their build is that of the other tests.
mapfile -t examples < <(documented)
cargo test --locked --doc --quiet "${examples[@]}"

if command -v cargo-nextest >/dev/null; then
    exec cargo nextest run --locked --no-fail-fast
fi
exec cargo test --locked --no-fail-fast --lib --bins --tests
