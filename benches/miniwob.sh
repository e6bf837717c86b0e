#!/usr/bin/env bash
# Holds the web tools to the pages of MiniWoB++, small tasks that others wrote: every page of benches/miniwob/tasks/ is solved from ten
# seeds, by testcases that see and do what a person does. Exits 1 where one is not.
#
#     benches/miniwob.sh UIXT                  all of them
#     benches/miniwob.sh UIXT click drag       those whose file or name matches one of these
#
# It takes about 20 minutes on two busy cores, and prints at the end. The pages are installed by pip into target/miniwob/, and are not
# part of this repository; where they could not be fetched, it is skipped, with a word.
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/.."
uixt=${1:?the program to measure, such as target/dist/uixt}
shift
wanted=miniwob==1.1.0
folder=target/miniwob

# A registry that does not answer is waited for this long, and no longer.
within() {
    command -v timeout >/dev/null || { "$@"; return; }
    timeout --kill-after=10 120 "$@"
}

skip() {
    echo "benches/miniwob.sh: skipped: $1" >&2
    exit 0
}

# The environment of the pages, with what it depends on, is not needed: only their HTML.
install_pages() {
    [[ -d $folder/miniwob/html && $(cat "$folder/installed.txt" 2>/dev/null) == "$wanted" ]] && return
    command -v python3 >/dev/null || skip "there is no python3 to install the pages with"
    echo "installing the pages of $wanted" >&2
    rm -rf "$folder"
    within python3 -m pip install -q --disable-pip-version-check --root-user-action ignore --no-deps --target "$folder" "$wanted" >&2 ||
        skip "pip could not fetch $wanted"
    echo "$wanted" >"$folder/installed.txt"
}

install_pages
reports=$(mktemp -d)
trap 'rm -rf "$reports"' EXIT
filter=()
(($# == 0)) || filter=(--filter "$(IFS='|'; echo "$*")")
code=0
"$uixt" run benches/miniwob/tasks --no-skip --retry 0 --report-dir "$reports/run" "${filter[@]}" >"$reports/log" 2>&1 || code=$?
grep -v '^passed' "$reports/log" | grep -v "^  $reports" || true
((code < 2 || code == 3)) || exit "$code"
python3 -B benches/miniwob/count.py "$reports/run/summary.json"
exit "$((code != 0))"
