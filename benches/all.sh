#!/bin/sh
# Measures a release build against its budgets and exits 1 where a figure is beyond 1.2 times its budget.
#
#     benches/all.sh                  everything
#     benches/all.sh steps mcp        only these groups; `benches/all.sh --help` lists them
#
# Needs Linux (/proc), Python 3.9 and nothing else. Figures of a busy machine are too high, never too low.
set -eu
cd "$(dirname "$0")/.."
cargo build --release --quiet
exec python3 benches/measure.py "${CARGO_TARGET_DIR:-target}/release/uixt" "$@"
