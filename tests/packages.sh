#!/usr/bin/env bash
# Installs every package of a folder as people do, tries what was installed, and prints a table. What cannot be tried is skipped with a reason.
#   tests/packages.sh [--packages FOLDER] [--suite DEBIAN]
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/.."

packages=target/packages suite=bullseye
while (($#)); do
    case $1 in
        --packages) packages=$2 && shift 2 ;;
        --suite) suite=$2 && shift 2 ;;
        *) echo "tests/packages.sh: unknown argument $1" >&2 && exit 2 ;;
    esac
done
[[ -d $packages ]] || { echo "tests/packages.sh: there is no folder $packages; packaging/build.sh makes it" >&2; exit 2; }
packages=$(realpath "$packages")
tests=$PWD/tests/packages
version=$(python3 packaging/stamp.py --version)
work=$(mktemp -d)
rows=$work/rows
: >"$rows"
server=""
end() {
    [[ -z $server ]] || kill "$server" 2>/dev/null || true
    rm -rf "$work"
}
trap end EXIT

row() { printf '%s|%s|%s|%s\n' "$1" "$2" "$3" "${4:-}" | tee -a "$rows"; }
skipped() { row "$1" "$2" skipped "$3"; }
# A command that is to succeed; its last lines are told where it does not.
does() {
    local name=$1 what=$2
    shift 2
    if timeout 300 "$@" >"$work/output" 2>&1; then
        row "$name" "$what" ok
    else
        row "$name" "$what" FAILED "$(tail -n 8 "$work/output" | tr '\n|' ' /')"
        return 1
    fi
}
try() {
    local name=$1
    shift
    python3 "$tests/try.py" "$name" "$version" "$work/${name//[ \/]/-}" -- "$@" | tee -a "$rows"
}
one() {
    local found
    found=$(compgen -G "$packages/$1" | head -n 1) || true
    echo "$found"
}

wheel=$(one 'uixt-*.whl') main=$(one "uixt-$version.tgz") platform=$(one 'uixt-linux-*.tgz') deb=$(one '*.deb') archive=$(one 'uixt-*.tar.gz')

# What others wrote, by which people install.
tools=$PWD/target/package-tools
# The newest of each: people have these.
install_tools() {
    if [[ ! -x $tools/bin/uv ]]; then
        { python3 -m venv "$tools" && timeout 300 "$tools/bin/pip" install -q --disable-pip-version-check uv pipx zizmor pyyaml; } >&2 || true
    fi
    if command -v npm >/dev/null && [[ ! -d $tools/node_modules/pnpm ]]; then
        timeout 300 npm install --prefix "$tools" --ignore-scripts --no-audit --no-fund --no-package-lock --loglevel error pnpm @yarnpkg/cli-dist >&2 || true
    fi
}

# The most that each may have, and what it is to come to.
sizes() {
    [[ -f $wheel ]] && within "$(basename "$wheel")" "$(stat -c %s "$wheel")" 19 14
    [[ -f $platform ]] && within "$(basename "$platform")" "$(stat -c %s "$platform")" 19 14
    [[ -f $main ]] && within "$(basename "$main")" "$(stat -c %s "$main")" 1 1
    within "program" "$(tar -xzOf "$archive" --wildcards '*/bin/uixt' | wc -c)" 40 30
}
within() {
    local outcome=ok size
    (($2 <= $3 * 1000000)) || outcome=FAILED
    size=$(awk -v bytes="$2" 'BEGIN {printf "%.2f MB", bytes / 1e6}')
    (($2 <= $4 * 1000000)) || size+=", over the goal of $4 MB"
    row "$1" "size within $3 MB" "$outcome" "$size"
}

archives() {
    local folder=$work/archive
    does archive "sums are right" bash -c "cd '$packages' && sha256sum --check --strict --quiet SHA256SUMS" || true
    mkdir "$folder" && tar -xzf "$archive" -C "$folder" --strip-components=1
    local missing="" file
    for file in LICENSE-MIT LICENSE-APACHE THIRD-PARTY-LICENSES.txt README.md CHANGELOG.md uixt.cyclonedx.json; do
        [[ -s $folder/$file ]] || missing+=" $file"
    done
    row archive "licences, README, list of crates" "$([[ -z $missing ]] && echo ok || echo FAILED)" "${missing:+missing:$missing}"
    UIXT_SHARE=$folder/share try archive "$folder/bin/uixt"
    samples "$folder/bin/uixt"
}

# The repository's own samples, a few of them.
samples() {
    does archive "samples on the virtual phone" env -u UIXT_BROWSER "$1" run testcases/tools/home.yaml testcases/tools/sleep.yaml testcases/settings_zh.yaml \
        --device phone --report-dir "$work/samples" || true
}

pip_wheel() {
    local venv=$work/venv
    python3 -m venv "$venv"
    does pip "installs offline" "$venv/bin/pip" install --disable-pip-version-check --no-index "$wheel" || return 0
    does pip "every file is as RECORD says" "$venv/bin/python" "$tests/record.py" || true
    UIXT_SHARE=$venv/share try pip "$venv/bin/uixt"
    UIXT_BRIEFLY="" try "python -m uixt" "$venv/bin/python" -m uixt
    does pip "man finds its page by the PATH" env PATH="$venv/bin:$PATH" MANPATH= man -w uixt-run || true
    does pip "is removed" "$venv/bin/pip" uninstall -y uixt || true
    row pip "leaves nothing" "$([[ -z $(find "$venv" -name '*uixt*') ]] && echo ok || echo FAILED)"
    python3 -m venv --without-pip "$work/elsewhere-venv"
    does "pip --target" "installs" python3 -m pip install -q --disable-pip-version-check --no-index --target "$work/target" "$wheel" || return 0
    UIXT_BRIEFLY=1 try "pip --target" env "PYTHONPATH=$work/target" "$work/elsewhere-venv/bin/python" -m uixt
}

uv_and_pipx() {
    if [[ -x $tools/bin/uv ]]; then
        export UV_CACHE_DIR=$work/uv-cache UV_OFFLINE=1 UV_NO_PROGRESS=1
        UIXT_BRIEFLY=1 try uvx "$tools/bin/uvx" --no-index --find-links "$packages" uixt
        does uv "tool install" env "UV_TOOL_DIR=$work/uv-tools" "UV_TOOL_BIN_DIR=$work/uv-bin" "$tools/bin/uv" tool install --no-index --find-links "$packages" uixt &&
            UIXT_BRIEFLY=1 try "uv tool" "$work/uv-bin/uixt"
    else
        skipped uv "installs" "pip could not install uv"
    fi
    if [[ -x $tools/bin/pipx ]]; then
        does pipx "installs" env "PIPX_HOME=$work/pipx" "PIPX_BIN_DIR=$work/pipx-bin" "$tools/bin/pipx" install "$wheel" &&
            UIXT_BRIEFLY=1 try pipx "$work/pipx-bin/uixt"
    else
        skipped pipx "installs" "pip could not install pipx"
    fi
}

npm_packages() {
    if ! command -v npm >/dev/null; then
        skipped npm "installs" "there is no npm"
        return
    fi
    local folder=$work/npm quiet=(--no-audit --no-fund --loglevel error)
    mkdir "$folder" && echo '{"private": true}' >"$folder/package.json"
    does npm "installs offline, --ignore-scripts" npm install --prefix "$folder" --offline --ignore-scripts "${quiet[@]}" "$main" "$platform" || return 0
    row npm "no scripts" "$(grep -q '"scripts"' "$folder"/node_modules/uixt*/package.json && echo FAILED || echo ok)"
    UIXT_SHARE=$folder/node_modules/$(basename "$platform" "-$version.tgz")/share try npm "$folder/node_modules/.bin/uixt"
    does npx "--no-install" env -C "$folder" npx --no-install uixt --version || true
    does npm "UIXT_BINARY names another program" env UIXT_BINARY=/bin/echo "$folder/node_modules/.bin/uixt" hello || true
    grep -qx hello "$work/output" || row npm "UIXT_BINARY was started" FAILED "$(head -c 100 "$work/output")"
    does npm "tells how it is called" env UIXT_BINARY=/usr/bin/env npm_config_user_agent=npm/11 "$folder/node_modules/.bin/uixt" || true
    grep -qx "UIXT_CALLED_AS=npx uixt" "$work/output" || row npm "commands begin with npx" FAILED "$(head -c 100 "$work/output")"
    # Where the platform's package is left out, the launcher says what to do.
    local bare=$work/npm-bare code=0
    mkdir "$bare" && echo '{"private": true}' >"$bare/package.json"
    does npm "installs with --omit=optional" npm install --prefix "$bare" --offline --omit=optional "${quiet[@]}" "$main" || return 0
    "$bare/node_modules/.bin/uixt" --version >"$work/output" 2>&1 || code=$?
    row npm "says what is missing" "$( ((code == 3)) && grep -q 'omit=optional' "$work/output" && echo ok || echo FAILED)" "exit $code: $(head -n 1 "$work/output")"
    # A system with musl, as Node tells of it: npm leaves the program's package out there, others install it.
    echo 'process.report.getReport = () => ({header: {}})' >"$work/musl.js"
    local named
    for named in "" "$work/nowhere"; do
        code=0
        UIXT_BINARY=$named node --require "$work/musl.js" "$bare/node_modules/uixt/bin/uixt.js" --version >"$work/output" 2>&1 || code=$?
        row npm "says that musl has no package" "$( ((code == 3)) && grep -q musl "$work/output" && echo ok || echo FAILED)" "exit $code: $(head -n 1 "$work/output")"
    done
    code=0
    UIXT_BINARY=$work/nowhere "$bare/node_modules/.bin/uixt" --version >"$work/output" 2>&1 || code=$?
    row npm "says which program cannot be started" "$( ((code == 3)) && grep -q "$work/nowhere" "$work/output" && echo ok || echo FAILED)" "exit $code"
    pnpm_and_yarn
}

pnpm_and_yarn() {
    local name folder
    name=$(basename "$platform" "-$version.tgz")
    if [[ -f $tools/node_modules/pnpm/package.json ]]; then
        folder=$work/pnpm && mkdir "$folder"
        echo "{\"private\": true, \"dependencies\": {\"uixt\": \"file:$main\"}}" >"$folder/package.json"
        printf 'overrides:\n  %s: "file:%s"\n' "$name" "$platform" >"$folder/pnpm-workspace.yaml"
        does pnpm "installs" env -C "$folder" "XDG_DATA_HOME=$work/pnpm-data" "XDG_CACHE_HOME=$work/pnpm-cache" \
            "$tools/node_modules/.bin/pnpm" install --offline --ignore-scripts --store-dir "$work/pnpm-store" &&
            UIXT_BRIEFLY=1 try pnpm "$folder/node_modules/.bin/uixt"
    else
        skipped pnpm "installs" "npm could not install pnpm"
    fi
    if [[ -f $tools/node_modules/@yarnpkg/cli-dist/bin/yarn.js ]]; then
        folder=$work/yarn && mkdir "$folder"
        echo "{\"name\": \"tried\", \"private\": true, \"dependencies\": {\"uixt\": \"file:$main\"}, \"resolutions\": {\"$name\": \"file:$platform\"}}" >"$folder/package.json"
        : >"$folder/yarn.lock"
        printf 'nodeLinker: pnp\nenableNetwork: false\nenableGlobalCache: false\nenableTelemetry: false\n' >"$folder/.yarnrc.yml"
        local yarn=(node "$tools/node_modules/@yarnpkg/cli-dist/bin/yarn.js" --cwd "$folder")
        does "yarn PnP" "installs" env YARN_ENABLE_IMMUTABLE_INSTALLS=false "${yarn[@]}" install &&
            UIXT_BRIEFLY=1 try "yarn PnP" "${yarn[@]}" run uixt
    else
        skipped "yarn PnP" "installs" "npm could not install yarn"
    fi
}

# A real system of old, in a chroot: installed over an older version, used, removed.
debian() {
    [[ -n $deb ]] || { skipped deb "installs" "there is no .deb in $packages"; return; }
    does deb "is well formed" dpkg-deb --info "$deb" || return 0
    if command -v lintian >/dev/null; then
        # The maintainer is a placeholder until build.sh is told one.
        does deb "lintian has no error" lintian --allow-root --fail-on error --suppress-tags bogus-mail-host,bogus-mail-host-in-debian-changelog "$deb" || true
    else
        skipped deb lintian "there is no lintian"
    fi
    if ((EUID != 0)) || ! command -v debootstrap >/dev/null; then
        skipped deb "installs on Debian $suite" "a chroot wants root and debootstrap"
        return
    fi
    local kept=$PWD/target/debian-$suite root=$work/debian
    if [[ ! -f $kept/complete ]]; then
        rm -rf "$kept"
        if ! timeout 540 debootstrap --variant=minbase "$suite" "$kept/root" >"$work/output" 2>&1; then
            skipped deb "installs on Debian $suite" "debootstrap could not fetch it: $(tail -n 1 "$work/output" | tr '|' /)"
            return
        fi
        touch "$kept/complete"
    fi
    cp -a "$kept/root" "$root"
    find "$root" -xdev -not -path '*/var/lib/dpkg/*' -printf '%P\n' | sort >"$work/before"
    # The same package as an older version, with a file that the newer one does not have.
    dpkg-deb --raw-extract "$deb" "$work/older"
    sed -i 's/^Version: .*/Version: 0.0.1-1/' "$work/older/DEBIAN/control"
    echo old >"$work/older/usr/share/doc/uixt/old"
    dpkg-deb --build --root-owner-group -Zgzip "$work/older" "$root/older.deb" >/dev/null
    cp "$deb" "$root/newer.deb"
    local glibc
    glibc=$(chroot "$root" ldd --version | sed -n '1s/.* //p')
    does "deb on $suite" "installs (glibc $glibc)" chroot "$root" dpkg --install /older.deb || return 0
    does "deb on $suite" "upgrades" chroot "$root" dpkg --install /newer.deb || return 0
    row "deb on $suite" "removes what the older version had" "$([[ -e $root/usr/share/doc/uixt/old ]] && echo FAILED || echo ok)"
    {
        cat "$tests/deb.txt"
        tar -tzf "$archive" | sed -n 's|.*/share/man/man1/\(.*\.1\)$|/usr/share/man/man1/\1.gz|p'
    } | sort >"$work/wanted"
    chroot "$root" dpkg -L uixt | while read -r path; do [[ -d $root$path ]] || echo "$path"; done | sort >"$work/listed"
    if diff "$work/wanted" "$work/listed" >"$work/output"; then
        row "deb on $suite" "has the files of tests/packages/deb.txt" ok "$(wc -l <"$work/listed") files"
    else
        row "deb on $suite" "has the files of tests/packages/deb.txt" FAILED "$(tr '\n|' ' /' <"$work/output" | head -c 300)"
    fi
    mkdir "$root/tried"
    UIXT_SHARE=$root/usr/share UIXT_ZSH=zsh/vendor-completions UIXT_SEEN_FROM=$root/tried \
        python3 "$tests/try.py" "deb on $suite" "$version" /tried -- chroot "$root" /usr/bin/uixt | tee -a "$rows"
    does "deb on $suite" "is removed" chroot "$root" dpkg --purge uixt || true
    rm -rf "$root"/{older,newer}.deb "$root/tried"
    find "$root" -xdev -not -path '*/var/lib/dpkg/*' -printf '%P\n' | sort >"$work/after"
    if diff <(grep -v '^var/log\|^tmp' "$work/before") <(grep -v '^var/log\|^tmp' "$work/after") >"$work/output"; then
        row "deb on $suite" "leaves nothing" ok
    else
        row "deb on $suite" "leaves nothing" FAILED "$(tr '\n|' ' /' <"$work/output" | head -c 300)"
    fi
}

# The action's own scripts, with a server on loopback that has the release.
action() {
    local release=$work/release/v$version port
    mkdir -p "$release" "$work/runner"
    cp "$archive" "$packages/SHA256SUMS" "$release/"
    python3 -u -m http.server 0 --bind 127.0.0.1 --directory "$work/release" >"$work/server" 2>&1 &
    server=$!
    for _ in {1..100}; do
        if grep -q 'port [0-9]' "$work/server"; then break; fi
        sleep 0.05
    done
    port=$(sed -n 's/.* port \([0-9]*\) .*/\1/p' "$work/server" | head -n 1)
    local variables=(RUNNER_TEMP="$work/runner" RUNNER_TOOL_CACHE="$work/runner/tools" GITHUB_PATH="$work/runner/path" GITHUB_OUTPUT="$work/runner/out"
        ACTION_PATH="$PWD" ACTION_REF=v1 INPUT_VERSION="" UIXT_DOWNLOAD_URL="http://127.0.0.1:$port")
    does action "installs, and checks the sum" env "${variables[@]}" packaging/action/install.sh || return 0
    local path
    path=$(cat "$work/runner/path"):$PATH
    cp testcases/tools/sleep.yaml "$work/runner/with space.yaml"
    does action "runs what args name" env -u UIXT_BROWSER PATH="$path" GITHUB_OUTPUT="$work/runner/out" \
        INPUT_ARGS="'$work/runner/with space.yaml' --var 'a=b c'" INPUT_DEVICE=phone INPUT_REPORT_DIR="$work/runner/report" packaging/action/run.sh || true
    row action "tells version, result, report" "$(grep -qx "version=$version" "$work/runner/out" && grep -qx result=passed "$work/runner/out" &&
        grep -qx "report=$work/runner/report" "$work/runner/out" && echo ok || echo FAILED)" "$(tr '\n|' ' /' <"$work/runner/out" | sed "s|$work|…|g")"
    # A red run: the outputs are there all the same.
    printf 'teststeps:\n- assert_visible: {text: Nowhere, timeout: 0.1}\n' >"$work/runner/red.yaml"
    local code=0
    env -u UIXT_BROWSER PATH="$path" GITHUB_OUTPUT="$work/runner/red" INPUT_ARGS="$work/runner/red.yaml" INPUT_DEVICE=phone \
        INPUT_REPORT_DIR="$work/runner/red-report" packaging/action/run.sh >"$work/output" 2>&1 || code=$?
    row action "fails where a case fails" "$( ((code == 1)) && grep -qx result=failed "$work/runner/red" && echo ok || echo FAILED)" "exit $code"
    # An archive that somebody changed is not unpacked.
    printf x >>"$release/$(basename "$archive")"
    code=0
    env "${variables[@]}" RUNNER_TOOL_CACHE="$work/runner/other" packaging/action/install.sh >"$work/output" 2>&1 || code=$?
    row action "refuses a changed archive" "$( ((code == 3)) && [[ ! -e $work/runner/other/uixt/$version ]] && echo ok || echo FAILED)" "exit $code"
    kill "$server" && server=""
    if [[ -x $tools/bin/zizmor ]]; then
        does action "zizmor finds nothing" "$tools/bin/zizmor" --offline --no-progress action.yml || true
    else
        skipped action zizmor "pip could not install zizmor"
    fi
}

# What runs on other CI servers: YAML that reads, and commands that run, with the component's defaults.
ci_servers() {
    local folder=$work/ci command line name value
    mkdir -p "$folder/testcases" && cp testcases/tools/sleep.yaml "$folder/testcases/"
    if [[ -x $tools/bin/python ]] && "$tools/bin/python" -c 'import yaml' 2>/dev/null; then
        does GitLab "the component is YAML with inputs and a job" "$tools/bin/python" -c 'import sys, yaml
spec, job = yaml.safe_load_all(open(sys.argv[1]))
assert len(spec["spec"]["inputs"]) > 3 and len(job) == 1 and list(job.values())[0]["script"], job' "$packages/gitlab-uixt.yml" || true
    else
        skipped GitLab "the component is YAML" "pip could not install pyyaml"
    fi
    command=$(sed -n 's/^  - \(uixt run.*\)/\1/p' "$packages/gitlab-uixt.yml")
    while IFS= read -r line; do
        name=${line%%:*} name=${name// /}
        value=$(sed -n 's/.*default: "\{0,1\}\([^",]*\)"\{0,1\}[,}].*/\1/p' <<<"$line")
        command=${command//"\$[[ inputs.$name ]]"/$value}
    done < <(sed -n '/^  inputs:/,/^---/s/^    \([a-z-]*: {.*\)/\1/p' "$packages/gitlab-uixt.yml")
    does GitLab "its command runs" env -C "$folder" -u UIXT_BROWSER UIXT_DEVICE=phone PATH="$work/archive/bin:$PATH" bash -euc "$command" || true
    row GitLab "its report is where the job says" "$([[ $command != *inputs* && -s $folder/report/junit.xml ]] && echo ok || echo FAILED)" "$command"
    rm -rf "$folder/report"
    command=$(sed -n "s/.*sh '\(uixt[^']*\)'.*/\1/p" "$packages/Jenkinsfile")
    does Jenkins "its command runs" env -C "$folder" -u UIXT_BROWSER UIXT_DEVICE=phone PATH="$work/archive/bin:$PATH" bash -euc "$command" || true
    row Jenkins "its report is where the stage says" "$([[ -s $folder/report/junit.xml ]] && echo ok || echo FAILED)"
    if [[ -f $packages/uixt.rb ]]; then
        if command -v ruby >/dev/null; then does Homebrew "the formula is Ruby" ruby -c "$packages/uixt.rb" || true; else skipped Homebrew "the formula is Ruby" "there is no ruby"; fi
    else
        skipped Homebrew "the formula" "build.sh left it out"
    fi
}

# Without Docker: what is copied is in the archive, and Debian has the packages that are installed.
dockerfile() {
    local missing="" path names
    while read -r path; do
        [[ -n $(tar -tzf "$archive" --wildcards "${path#/}*" 2>/dev/null) ]] || missing+=" $path"
    done < <(sed -n 's/^COPY --from=unpacked \(.*\) [^ ]*$/\1/p' "$packages/Dockerfile" | tr ' ' '\n')
    row Dockerfile "copies what the archive has" "$([[ -z $missing ]] && echo ok || echo FAILED)" "${missing:+missing:$missing}"
    if [[ $(sed -n 's/^VERSION_ID="\(.*\)"/\1/p' /etc/os-release) == 12 ]] && command -v apt-cache >/dev/null; then
        names=$(sed -n 's/.*--no-install-recommends \([^\\]*\).*/\1/p' "$packages/Dockerfile" | tr '\n' ' ')
        # shellcheck disable=SC2086 # names of packages
        does Dockerfile "Debian 12 has its packages" apt-cache show --no-all-versions $names || true
    else
        skipped Dockerfile "Debian 12 has its packages" "this is not Debian 12"
    fi
    docker info >/dev/null 2>&1 || skipped images "start" "there is no Docker daemon"
}

install_tools
sizes
archives
[[ -n $wheel ]] && { pip_wheel; uv_and_pipx; }
if [[ -n $main && -n $platform ]]; then npm_packages; else skipped npm "installs" "there are no npm packages in $packages"; fi
debian
action
ci_servers
dockerfile
skipped "macOS, Windows" "anything" "no such machine here"

echo
column -t -s '|' -o '  ' -N package,tried,outcome,seen "$rows" 2>/dev/null || cat "$rows"
passed=$(grep -c '|ok|' "$rows" || true) failed=$(grep -c '|FAILED|' "$rows" || true) left=$(grep -c '|skipped|' "$rows" || true)
echo
echo "packages: $passed passed, $failed failed, $left skipped"
((failed == 0))
