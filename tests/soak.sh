#!/usr/bin/env bash
# Runs what takes long, on the release build: runs killed at many moments, the samples again and again under load.
# Usage: tests/soak.sh [ROUNDS] [TROUBLE], 20 and 500 by default: rounds of all samples, and of those of testcases/trouble/ alone.
# With the defaults it takes two hours on two cores.
# It stops by itself and ends only what it started.
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/.."
rounds=${1:-20}
trouble=${2:-500}

cargo build --locked --release
echo "eight phones at once for ${UIXT_PHONES_SECONDS:=600} s"
python=target/test-venv/bin/python
[[ -x $python ]] || { echo "tests/soak.sh: there is no $python: run tests/all.sh, which makes it" >&2; exit 1; }
"$python" tests/clients/eight_phones.py target/release/uixt "$UIXT_PHONES_SECONDS"

echo "killing runs at 50 moments"
UIXT_KILLS=50 cargo test --locked --quiet --test it journal::

echo "changed recordings and conversations, each parser for ${UIXT_FUZZ_SECONDS:=180} s: half an hour for all of them"
UIXT_FUZZ_SECONDS=$UIXT_FUZZ_SECONDS cargo test --locked --quiet --lib fuzz:: -- --test-threads=1 --nocapture

load=()
end_load() {
    ((${#load[@]} == 0)) || kill "${load[@]}" 2>/dev/null || true
}
trap end_load EXIT
for _ in $(seq "$(nproc)"); do
    (while :; do :; done) &
    load+=($!)
done

folder=$(mktemp -d)
export folder

# one_round NAME TESTCASES NUMBER: runs testcases, and keeps the report of a round that fails.
one_round() {
    local reports=$folder/$1-$3
    if target/release/uixt run "$2" --report-dir "$reports" >"$reports.log" 2>&1; then
        rm -rf "$reports" "$reports.log"
    else
        cat "$reports.log"
        echo "kept: $reports"
    fi
}
export -f one_round

# soak NAME ROUNDS TESTCASES AT_ONCE: runs testcases again and again, some rounds side by side, each on a phone of its own.
soak() {
    seq "$2" | xargs -P "$4" -I{} bash -c 'one_round "$@"' _ "$1" "$3" {}
    echo "$2 rounds of $3 under load, $(find "$folder" -name "$1-*.log" | wc -l) failed"
}

soak all "$rounds" testcases/ 2
soak trouble "$trouble" testcases/trouble/ 6
[[ -z $(ls "$folder") ]] && rmdir "$folder"
