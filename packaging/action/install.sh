#!/usr/bin/env bash
# Fetches the archive of a version, holds it to its SHA-256, and puts the program on the PATH of the steps that follow.
set -euo pipefail

fail() {
    echo "::error title=uixt::$*" >&2
    exit 3
}

# An action that is used from the checkout itself has no repository of its own.
DOWNLOAD_URL=${UIXT_DOWNLOAD_URL:-$GITHUB_SERVER_URL/${ACTION_REPOSITORY:-$GITHUB_REPOSITORY}/releases/download}

# `uses: …@v1.2.3` is the version 1.2.3; a branch or a moving tag has the version of its own Cargo.toml.
version=${INPUT_VERSION:-}
if [[ -z $version && ${ACTION_REF:-} =~ ^v([0-9]+\.[0-9]+\.[0-9]+.*)$ ]]; then
    version=${BASH_REMATCH[1]}
fi
[[ -n $version ]] || version=$(python3 "$ACTION_PATH/packaging/stamp.py" --version)
[[ $version =~ ^[0-9A-Za-z.+-]+$ ]] || fail "\`$version\` is no version"

case "$(uname -s) $(uname -m)" in
    "Linux x86_64") target=x86_64-unknown-linux-gnu ;;
    "Linux aarch64") target=aarch64-unknown-linux-gnu ;;
    *) fail "there is no package for $(uname -s) on $(uname -m): use a runner of Linux" ;;
esac

name=uixt-$version-$target
folder=${RUNNER_TOOL_CACHE:-$RUNNER_TEMP}/uixt/$version/$target
if [[ ! -x $folder/bin/uixt ]]; then
    fetched=$(mktemp -d "$RUNNER_TEMP/uixt.XXXXXX")
    trap 'rm -rf "$fetched"' EXIT
    for file in SHA256SUMS "$name.tar.gz"; do
        curl --fail --silent --show-error --location --retry 3 --max-time 300 --output "$fetched/$file" "$DOWNLOAD_URL/v$version/$file" ||
            fail "$DOWNLOAD_URL/v$version/$file cannot be fetched: is there a release $version with a package for $target?"
    done
    (cd "$fetched" && grep -F "  $name.tar.gz" SHA256SUMS | sha256sum --check --strict --quiet -) ||
        fail "$name.tar.gz is not what SHA256SUMS says"
    mkdir -p "$folder"
    tar -xzf "$fetched/$name.tar.gz" -C "$folder" --strip-components=1 --no-same-owner
fi
"$folder/bin/uixt" --version
echo "$folder/bin" >>"$GITHUB_PATH"
echo "version=$version" >>"$GITHUB_OUTPUT"
