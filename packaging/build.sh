#!/usr/bin/env bash
# Makes every package from one binary, into target/packages/, and ends with a table of them.
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/.."

ZIG="ziglang==0.17.1 cargo-zigbuild==0.24.1"

usage() {
    cat <<'END'
packaging/build.sh [--binary FILE] [--glibc VERSION | --host] [--repository URL] [--maintainer "NAME <ADDRESS>"] [--output FOLDER]

  --binary FILE      packs this program; without it, one is compiled
  --glibc VERSION    oldest glibc that the compiled program runs with, by Zig's linker (2.17)
  --host             compiles for this system's glibc, without Zig
  --repository URL   address of the public repository, as in UIXT_REPOSITORY; what needs it is left out where there is none
  --maintainer WHO   of the Debian package, as in UIXT_MAINTAINER
  --output FOLDER    where the packages go (target/packages)
END
}

fail() {
    printf 'packaging/build.sh: %s\n' "$@" >&2
    exit 2
}

binary="" glibc=2.17 host="" output=target/packages
repository=${UIXT_REPOSITORY:-} maintainer=${UIXT_MAINTAINER:-}
while (($#)); do
    case $1 in
        --binary | --glibc | --repository | --maintainer | --output)
            (($# > 1)) || fail "$1 wants a value"
            printf -v "${1#--}" %s "$2"
            shift 2
            ;;
        --host) host=1 && shift ;;
        -h | --help) usage && exit ;;
        *) fail "unknown argument $1" "$(usage)" ;;
    esac
done
repository=${repository%/}
[[ -z $repository || $repository =~ ^https://[^/]+/[^/]+/.+$ ]] || fail "\`$repository\` is no address such as https://HOST/OWNER/NAME"

named=$maintainer maintainer=${maintainer:-"The uixt project <uixt@localhost>"}

version=$(python3 packaging/stamp.py --version)
if [[ -z ${SOURCE_DATE_EPOCH:-} ]]; then
    # The same commit gives the same packages.
    SOURCE_DATE_EPOCH=$(git log -1 --format=%ct 2>/dev/null || stat -c %Y Cargo.toml)
fi
export SOURCE_DATE_EPOCH LC_ALL=C.UTF-8

# Zig links against the glibc of old systems, and needs no container.
compile() {
    local triple venv=target/zig-venv
    triple=$(rustc -vV | sed -n 's/^host: //p')
    if [[ -n $host ]]; then
        cargo build --profile dist --locked
        binary=${CARGO_TARGET_DIR:-target}/dist/uixt
        return
    fi
    if ! cmp -s <(echo "$ZIG") "$venv/installed.txt"; then
        # shellcheck disable=SC2086 # two packages
        { python3 -m venv --clear "$venv" && "$venv/bin/pip" install -q --disable-pip-version-check $ZIG; } ||
            fail "Zig could not be installed by pip; --host compiles without it, for systems as new as this one"
        echo "$ZIG" >"$venv/installed.txt"
    fi
    PATH="$PWD/$venv/bin:$PATH" cargo zigbuild --profile dist --locked --target "$triple.$glibc" ||
        fail "it does not compile for glibc $glibc; where a symbol is missing, --glibc 2.28 has more of them"
    binary=${CARGO_TARGET_DIR:-target}/$triple/dist/uixt
}

[[ -n $binary ]] || compile
[[ -x $binary ]] || fail "$binary is no program"
told=$(timeout 60 "$binary" --version)
[[ $told == "uixt $version" ]] || fail "$binary says \`$told\`, and Cargo.toml has the version $version"
described=$(python3 packaging/elf.py "$binary") || exit 2
property() {
    python3 -c 'import json, sys; print(json.loads(sys.argv[1])[sys.argv[2]])' "$described" "$1"
}
target=$(property target) node=$(property node) debian=$(property debian) glibc=$(property glibc)

stage=target/packages-stage
rm -rf "$stage" "$output"
mkdir -p "$stage" "$output"
rows=()
made() { rows+=("$1"); }
left_out() { rows+=("$1|left out: $2"); }

# What stands in every package: the program without its symbols, man pages, completions, licences, the list of crates.
common() {
    install -D -m 755 "$binary" "$stage/bin/uixt"
    if command -v strip >/dev/null && file -b "$binary" 2>/dev/null | grep -q 'not stripped'; then strip "$stage/bin/uixt"; fi
    python3 packaging/man.py "$stage/bin/uixt" "$stage/share/man/man1"
    local shell place
    for shell in bash zsh fish; do
        case $shell in
            bash) place=bash-completion/completions/uixt ;;
            zsh) place=zsh/site-functions/_uixt ;;
            fish) place=fish/vendor_completions.d/uixt.fish ;;
        esac
        mkdir -p "$(dirname "$stage/share/$place")"
        # zsh reads only the first line to see what a file completes.
        "$stage/bin/uixt" completions "$shell" | sed '/./,$!d' >"$stage/share/$place"
    done
    python3 packaging/crates.py --target "$target" --sbom "$stage/sbom.json" --licences "$stage/THIRD-PARTY-LICENSES.txt"
    mkdir -p "$stage/licences"
    cp LICENSE-MIT LICENSE-APACHE "$stage/THIRD-PARTY-LICENSES.txt" "$stage/licences/"
    readme >"$stage/README.md"
}

# The README for people who have installed a package: links into the repository lead to its address, or are plain text.
readme() {
    python3 - "$repository" <<'END'
import re, sys
repository = sys.argv[1]
text = open("README.md", encoding="utf-8").read()
def link(match):
    bang, label, place = match.groups()
    if re.match(r"https?:|#", place):
        return match.group(0)
    if not repository:
        return "" if bang else label
    return f"{bang}[{label}]({repository}/{'raw' if bang else 'blob'}/HEAD/{place})"
print(re.sub(r"(!?)\[([^\]]*)\]\(([^)\s]+)\)", link, text), end="")
END
    # By this line MCP's registry knows whose package it is.
    if [[ -n $(mcp_name) ]]; then printf '\n<!-- mcp-name: %s -->\n' "$(mcp_name)"; fi
}

fixed_times() {
    find "$1" -exec touch --no-dereference --date="@$SOURCE_DATE_EPOCH" {} +
}

wheel() {
    made "$(basename "$(python3 packaging/wheel.py --binary "$stage/bin/uixt" --share "$stage/share" --licences "$stage/licences" \
        --sbom "$stage/sbom.json" --readme "$stage/README.md" --version "$version" --repository "$repository" --output "$output")")"
}

npm_packages() {
    local main=$stage/npm/uixt platform=$stage/npm/uixt-linux-$node
    mkdir -p "$main/bin" "$platform/bin"
    python3 packaging/stamp.py packaging/npm/uixt/package.json "$main/package.json" "NODE_CPU=$node"
    install -m 755 packaging/npm/uixt/bin/uixt.js "$main/bin/uixt.js"
    cp "$stage/README.md" LICENSE-MIT LICENSE-APACHE "$main/"
    local name
    for name in package.json README.md; do
        python3 packaging/stamp.py "packaging/npm/platform/$name" "$platform/$name" "NODE_CPU=$node" "GLIBC=$glibc"
    done
    install -m 755 "$stage/bin/uixt" "$platform/bin/uixt"
    cp -r "$stage/share" "$platform/share"
    cp "$stage"/licences/* "$platform/"
    if [[ -n $repository ]]; then
        python3 - "$repository" "$(mcp_name)" "$main/package.json" "$platform/package.json" <<'END'
import json, sys
repository, name, main, platform = sys.argv[1:]
for path in (main, platform):
    with open(path) as file:
        package = json.load(file)
    package["repository"] = {"type": "git", "url": f"git+{repository}.git"}
    if path == main and name:
        package["mcpName"] = name
    with open(path, "w") as file:
        json.dump(package, file, indent=2)
        file.write("\n")
END
    fi
    if ! command -v npm >/dev/null; then
        left_out "npm packages" "there is no npm"
        return
    fi
    local folder
    for folder in "$main" "$platform"; do
        made "$(npm pack --silent --pack-destination "$output" "./$folder" | tail -1)"
    done
}

# The registry of MCP servers takes names of GitHub's owners.
mcp_name() {
    if [[ $repository =~ ^https://github\.com/([^/]+)/ ]]; then echo "io.github.${BASH_REMATCH[1]}/uixt"; fi
}

archive() {
    local name=uixt-$version-$target
    local root=$stage/archive/$name
    mkdir -p "$root"
    cp -r "$stage/bin" "$stage/share" "$root/"
    cp "$stage"/licences/* CHANGELOG.md "$stage/README.md" "$root/"
    cp "$stage/sbom.json" "$root/uixt.cyclonedx.json"
    chmod -R u=rwX,go=rX "$root"
    tar --sort=name --mtime="@$SOURCE_DATE_EPOCH" --owner=0 --group=0 --numeric-owner -C "$stage/archive" -cf - "$name" |
        gzip -9n >"$output/$name.tar.gz"
    made "$name.tar.gz"
    cp "$stage/sbom.json" "$output/uixt-$version.cyclonedx.json"
    made "uixt-$version.cyclonedx.json"
}

deb() {
    local root=$stage/deb name=uixt_$version-1_$debian.deb
    if ! command -v dpkg-deb >/dev/null; then
        left_out "$name" "there is no dpkg-deb"
        return
    fi
    local doc=$root/usr/share/doc/uixt
    install -D -m 755 "$stage/bin/uixt" "$root/usr/bin/uixt"
    mkdir -p "$root/usr/share/zsh" "$doc" "$root/DEBIAN"
    cp -r "$stage/share/man" "$stage/share/bash-completion" "$stage/share/fish" "$root/usr/share/"
    # Debian's zsh looks for what packages bring in a folder of its own.
    cp -r "$stage/share/zsh/site-functions" "$root/usr/share/zsh/vendor-completions"
    gzip -9n "$root"/usr/share/man/man1/*.1
    cp "$stage/README.md" "$doc/"
    gzip -9n <CHANGELOG.md >"$doc/changelog.gz"
    gzip -9n <"$stage/THIRD-PARTY-LICENSES.txt" >"$doc/THIRD-PARTY-LICENSES.txt.gz"
    gzip -9n <"$stage/sbom.json" >"$doc/uixt.cyclonedx.json.gz"
    python3 packaging/stamp.py packaging/debian/changelog "$stage/changelog" "MAINTAINER=$maintainer" "DATE=$(date -uR -d "@$SOURCE_DATE_EPOCH")"
    gzip -9n <"$stage/changelog" >"$doc/changelog.Debian.gz"
    python3 packaging/stamp.py packaging/debian/copyright "$doc/copyright" \
        "COPYRIGHT=$(sed -n 's/^Copyright (c) //p' LICENSE-MIT)" "MIT=$(sed -n '/^Permission/,$p' LICENSE-MIT | sed 's/^/ /; s/^ $/ ./')"
    chmod -R u=rwX,go=rX "$root"
    python3 packaging/stamp.py packaging/debian/control "$root/DEBIAN/control" "DEBIAN_CPU=$debian" "DEPENDS=$(property depends)" \
        "MAINTAINER=$maintainer" "INSTALLED_SIZE=$(du -sk --apparent-size "$root/usr" | cut -f1)"
    (cd "$root" && find usr -type f -print0 | sort -z | xargs -0 md5sum >DEBIAN/md5sums)
    fixed_times "$root"
    dpkg-deb --root-owner-group -Zxz --build "$root" "$output/$name" >/dev/null
    made "$name"
    [[ -n $named ]] || left_out "a maintainer of the .deb" "no --maintainer says who it is; a placeholder stands there"
}

container() {
    local label=""
    [[ -z $repository ]] || label=$(printf ' \\\n      org.opencontainers.image.source="%s"' "$repository")
    python3 packaging/stamp.py packaging/docker/Dockerfile "$output/Dockerfile" "TARGET=$target" "SOURCE_LABEL=$label"
    made Dockerfile
    if ! docker info >/dev/null 2>&1; then
        left_out "images uixt, uixt:browsers" "there is no Docker daemon; the Dockerfile says how they are built"
        return
    fi
    docker build -q --target uixt -t "uixt:$version" -f "$output/Dockerfile" "$output" >/dev/null
    docker build -q --target browsers -t "uixt:$version-browsers" -f "$output/Dockerfile" "$output" >/dev/null
    rows+=("images uixt:$version, uixt:$version-browsers|in Docker")
}

ci_servers() {
    python3 packaging/stamp.py packaging/gitlab/uixt.yml "$output/gitlab-uixt.yml"
    cp packaging/jenkins/Jenkinsfile "$output/Jenkinsfile"
    made gitlab-uixt.yml
    made Jenkinsfile
}

# What names the public address.
addressed() {
    local name none="no --repository URL says where releases are"
    if [[ -z $repository ]]; then
        for name in uixt.rb server.json binstall.toml; do left_out "$name" "$none"; done
        return
    fi
    local sum brew=$node
    [[ $brew == x64 ]] && brew=x86_64
    sum=$(sha256sum "$output/uixt-$version-$target.tar.gz" | cut -d' ' -f1)
    python3 packaging/stamp.py packaging/homebrew/uixt.rb "$output/uixt.rb" "REPOSITORY=$repository" "TARGET=$target" "ARCHIVE_SHA256=$sum" "BREW_CPU=$brew"
    made uixt.rb
    python3 packaging/stamp.py packaging/binstall.toml "$output/binstall.toml" "REPOSITORY=$repository"
    made binstall.toml
    if [[ -z $(mcp_name) ]]; then
        left_out server.json "names in MCP's registry are made of GitHub's owners, and $repository is elsewhere"
        return
    fi
    python3 packaging/stamp.py packaging/mcp/server.json "$output/server.json" "REPOSITORY=$repository" "MCP_NAME=$(mcp_name)"
    made server.json
}

sums() {
    (cd "$output" && find . -maxdepth 1 -type f -printf '%P\n' | sort | xargs sha256sum) >"$stage/SHA256SUMS"
    mv "$stage/SHA256SUMS" "$output/"
    made SHA256SUMS
}

table() {
    local row name
    echo
    echo "uixt $version for $target, glibc $glibc or newer; in $output:"
    printf '%-50s %11s  %s\n' artefact bytes SHA-256
    for row in "${rows[@]}"; do
        name=${row%%|*}
        if [[ $row == *"|"* ]]; then
            printf '%-50s %11s  %s\n' "$name" - "${row#*|}"
        else
            printf '%-50s %11s  %s\n' "$name" "$(stat -c %s "$output/$name")" "$(sha256sum "$output/$name" | cut -d' ' -f1)"
        fi
    done
}

common
wheel
npm_packages
deb
archive
container
ci_servers
addressed
left_out "arm64, musl" "Rust's library for these targets is not part of this build"
left_out "macOS, Windows" "the code is not tried there; docs/installing.md lists what keeps it from them"
sums
table
