#!/usr/bin/env bash
# Runs what takes long, on the release build: runs killed at many moments, the samples again and again under load.
# Usage: tests/soak.sh [ROUNDS], 20 by default. It stops by itself and ends only what it started.
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/.."
rounds=${1:-20}

cargo build --locked --release
echo "killing runs at 50 moments"
UIXT_KILLS=50 cargo test --locked --quiet --test it journal::

echo "changed recordings, each parser for ${UIXT_FUZZ_SECONDS:=260} s: half an hour for all of them"
UIXT_FUZZ_SECONDS=$UIXT_FUZZ_SECONDS cargo test --locked --quiet --lib fuzz:: -- --test-threads=1

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
for round in $(seq "$rounds"); do
    if ! target/release/uixt run testcases/ --report-dir "$folder/$round" >"$folder/log" 2>&1; then
        failed=$((failed + 1))
        cat "$folder/log"
        echo "kept: $folder/$round"
    fi
done
echo "$rounds rounds of the samples under load, $failed failed"
((failed == 0)) && rm -rf "$folder"
((failed == 0))
