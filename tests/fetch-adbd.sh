#!/usr/bin/env bash
# Fetches the adbd of Debian 13 and the libraries that it runs with into target/test-adbd/root, by apt's own means and without
# installing anything. Fails where it cannot; then the tests that need it say that they were skipped.
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/.."

release=trixie
packages=(adbd android-libbase android-libboringssl android-libcutils android-liblog libbrotli1 libc6 libgcc-s1 liblz4-1
    libprotobuf32t64 libstdc++6 libxxhash0 libzstd1 zlib1g)
place=$PWD/target/test-adbd
[[ -x $place/root/usr/lib/android-sdk/platform-tools/adbd ]] && exit 0

# The mirror that this machine uses already.
mirror=$(apt-get indextargets --format '$(REPO_URI)' 'Origin: Debian' 2>/dev/null | grep -v security | head -n 1)
[[ -n $mirror ]] || { echo 'no Debian mirror is known to apt' >&2; exit 1; }

work=$place/apt
rm -rf "$place"
mkdir -p "$work"/{state/lists/partial,cache/archives/partial,debs} "$place/root.new"
echo "deb [signed-by=/usr/share/keyrings/debian-archive-keyring.gpg] $mirror $release main" >"$work/sources.list"
options=(-qq -o "Dir::Etc::sourcelist=$work/sources.list" -o Dir::Etc::sourceparts=- -o "Dir::State=$work/state"
    -o "Dir::Cache=$work/cache" -o Dir::State::status=/dev/null -o APT::Sandbox::User=root)
apt-get "${options[@]}" update
(cd "$work/debs" && apt-get "${options[@]}" download "${packages[@]}")
for package in "$work"/debs/*.deb; do dpkg -x "$package" "$place/root.new"; done
mv "$place/root.new" "$place/root"
rm -rf "$work"
