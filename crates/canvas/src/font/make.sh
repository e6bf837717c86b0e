#!/bin/sh
# Makes NotoSansSC-subset.ttf from the npm package @fontsource/noto-sans-sc: Latin, punctuation, arrows, the symbols
# that the phone draws, and the 3755 characters of GB2312's first level. Needs npm and python3.
set -eu
here=$(cd "$(dirname "$0")" && pwd)
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
cd "$work"
npm pack --silent @fontsource/noto-sans-sc@5.3.0 >/dev/null
tar xzf fontsource-noto-sans-sc-5.3.0.tgz
python3 -m venv env
env/bin/pip install --quiet fonttools==4.68.0 brotli==1.2.1
env/bin/python "$here/subset.py" package/files "$here/NotoSansSC-subset.ttf"
cp package/LICENSE "$here/OFL.txt"
