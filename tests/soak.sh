#!/usr/bin/env bash
# Runs what takes long, on the release build: runs killed at many moments, the samples again and again under load.
# Usage: tests/soak.sh [ROUNDS] [TROUBLE] [WEB], 20, 500 and 300 by default: rounds of all samples, of those of testcases/trouble/ alone, and
# of those of testcases/web/ alone, in Chromium. `tests/soak.sh web [WEB]` does only the last, with the release build that is there, if
# there is one. With the defaults it takes five hours on two cores.
# It stops by itself and ends only what it started.
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/.."
if [[ ${1:-} == web ]]; then
    rounds=0 trouble=0 web=${2:-300}
    [[ -x ${UIXT_SOAKED:=target/release/uixt} ]] || cargo build --locked --release
else
    rounds=${1:-20} trouble=${2:-500} web=${3:-300}
    cargo build --locked --release
fi
export UIXT_SOAKED=${UIXT_SOAKED:-target/release/uixt}

other_parts() {
    echo "eight phones at once for ${UIXT_PHONES_SECONDS:=600} s"
    python=target/test-venv/bin/python
    [[ -x $python ]] || { echo "tests/soak.sh: there is no $python: run tests/all.sh, which makes it" >&2; exit 1; }
    "$python" tests/clients/eight_phones.py target/release/uixt "$UIXT_PHONES_SECONDS"

    echo "100,000 steps: memory, open files and threads"
    python3 tests/clients/long_run.py target/release/uixt 100000

    echo "killing runs at 200 moments, on one device and on four"
    UIXT_KILLS=200 cargo test --locked --quiet --test it run::journal::

    echo "a queue whose machines, server and network fail at 50 moments"
    UIXT_KILLS=50 cargo test --locked --quiet --test it run::queue_trouble::

    echo "killing the server of UI instances at 50 moments, with pages of its own and in Chromium"
    UIXT_KILLS=50 cargo test --locked --quiet --test it killed

    echo "changed recordings and conversations, each parser for ${UIXT_FUZZ_SECONDS:=180} s: half an hour for all of them, and as long for UI instances"
    UIXT_FUZZ_SECONDS=$UIXT_FUZZ_SECONDS cargo test --locked --quiet --lib fuzz:: -- --test-threads=1 --nocapture
}
[[ ${1:-} == web ]] || other_parts

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
    if "$UIXT_SOAKED" run "$2" "${@:4}" --report-dir "$reports" >"$reports.log" 2>&1; then
        rm -rf "$reports" "$reports.log"
    else
        cat "$reports.log"
        echo "kept: $reports"
    fi
}
export -f one_round

# soak NAME ROUNDS TESTCASES AT_ONCE [OPTION...]: runs testcases again and again, some rounds side by side, each on a phone or a browser of its
# own.
soak() {
    seq "$2" | xargs -P "$4" -I{} bash -c 'one_round "$@"' _ "$1" "$3" {} "${@:5}"
    echo "$2 rounds of $3 under load, $(find "$folder" -name "$1-*.log" | wc -l) failed"
}

soak all "$rounds" testcases/ 2
soak trouble "$trouble" testcases/trouble/ 6
soak web "$web" testcases/web/ 2 --no-skip
# What is read from pixels, with the models that tests/all.sh installs.
export UIXT_MODELS_DIR=${UIXT_MODELS_DIR:-$PWD/target/models}
((rounds == 0)) || soak drawn 100 testcases/shop_drawn.yaml 1 --no-skip
end_load
load=()
if [[ -n $(ls "$folder") ]]; then
    exit 1
fi
rmdir "$folder"
