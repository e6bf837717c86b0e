#!/usr/bin/env bash
# Runs what takes long, on the release build: runs killed at many moments, the samples again and again under load.
# Usage: tests/soak.sh [ROUNDS] [TROUBLE], 20 and 50 by default: rounds of all samples, and of those of testcases/trouble/ alone.
# It stops by itself and ends only what it started.
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/.."
rounds=${1:-20}
trouble=${2:-50}

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
failed=0

# soak NAME ROUNDS TESTCASES: runs testcases again and again, and keeps the reports of the rounds that fail.
soak() {
    local name=$1 rounds=$2 testcases=$3 bad=0
    for round in $(seq "$rounds"); do
        if target/release/uixt run "$testcases" --report-dir "$folder/$name-$round" >"$folder/log" 2>&1; then
            rm -rf "$folder/$name-$round"
        else
            bad=$((bad + 1))
            cat "$folder/log"
            echo "kept: $folder/$name-$round"
        fi
    done
    echo "$rounds rounds of $testcases under load, $bad failed"
    failed=$((failed + bad))
}

soak all "$rounds" testcases/
soak trouble "$trouble" testcases/trouble/
((failed == 0)) && rm -rf "$folder"
((failed == 0))
