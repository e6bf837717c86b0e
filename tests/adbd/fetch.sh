#!/usr/bin/env bash
# Fetches Debian 13's adbd with its libraries into a folder, by apt and without installing anything.
# Usage: tests/adbd/fetch.sh FOLDER. On any failure it says why and leaves nothing behind.
set -euo pipefail
mkdir -p "$1"
folder=$(cd "$1" && pwd)
release=trixie
packages=(adbd android-libbase android-libboringssl android-libcutils android-liblog libbrotli1 libc6 libcap2 libgcc-s1 liblz4-1
    libprotobuf32t64 libstdc++6 libsystemd0 libxxhash0 libzstd1 zlib1g)

fail() {
    echo "$*" >&2
    rm -rf "$folder"
    exit 1
}

[[ $(uname -m) == x86_64 ]] || fail "it is built for x86_64, not $(uname -m)"
command -v apt-get >/dev/null || fail "there is no apt-get"
keys=/usr/share/keyrings/debian-archive-keyring.gpg
[[ -f $keys ]] || fail "there is no $keys"

# The mirror that this machine uses for Debian itself.
mirror=$(grep -hE '^(URIs:|deb ).*/debian(/| |$)' /etc/apt/sources.list /etc/apt/sources.list.d/* 2>/dev/null |
    grep -oE 'https?://[^ ]*/debian/?' | head -n 1 || true)
[[ -n $mirror ]] || fail "no Debian mirror stands in /etc/apt"

mkdir -p "$folder"/apt/{state/lists/partial,cache/archives/partial} "$folder/packages"
echo "deb [signed-by=$keys] $mirror $release main" >"$folder/apt/sources.list"
options=(-qq -o "Dir::Etc::sourcelist=$folder/apt/sources.list" -o Dir::Etc::sourceparts=- -o "Dir::State=$folder/apt/state"
    -o "Dir::Cache=$folder/apt/cache" -o Dir::State::status=/dev/null -o "APT::Default-Release=$release" -o APT::Sandbox::User=root
    -o Acquire::Retries=2 -o Acquire::http::Timeout=30)
apt-get "${options[@]}" update || fail "apt-get cannot read $mirror"
(cd "$folder/packages" && apt-get "${options[@]}" download "${packages[@]}") || fail "apt-get cannot download ${packages[*]}"
mkdir "$folder/root"
for package in "$folder"/packages/*.deb; do
    dpkg -x "$package" "$folder/root" || fail "dpkg cannot unpack $package"
done
rm -rf "$folder/apt" "$folder/packages"
