#!/bin/sh
# Measures the build that is packaged against its budgets and exits 1 where a figure is beyond 1.2 times its budget.
#
#     benches/all.sh                  everything
#     benches/all.sh steps mcp        only these groups; `benches/all.sh --help` lists them
#     benches/all.sh adb              only uixt beside adb, adbutils and raw sockets, through a real adb server
#     benches/all.sh mcp-peers        only uixt's MCP server beside those of others, which npm installs into target/mcp-peers
#     benches/all.sh browser          only uixt beside other ways to drive Chromium, which npm and pip install into target/browser-peers
#     benches/all.sh session          only calls from the shell over a session, beside agent-browser's, which npm installs into target/session-peers
#     benches/all.sh miniwob          only the pages of MiniWoB++, which pip installs into target/miniwob, each solved from ten seeds
#     benches/all.sh parallel         only many cases at once, beside the time that they would take alone, and pabot, which pip installs into target/pabot
#     benches/all.sh ios              only what the driver of iPhones adds to WebDriverAgent's answers, and eight virtual iPhones at once
#     benches/all.sh harmony          the same of HarmonyOS phones, whose server is hdc's
#     benches/all.sh evidence         only what it costs to keep evidence of failures where nothing fails, in time
#     benches/all.sh studio           only the studio: its pictures, what an open page costs a run, its memory
#     benches/all.sh ocr              only the reading of drawn screens, by uixt and by what pip and apt install beside it into target/ocr
#
# Needs Linux (/proc) and Python 3.9; what is measured beside it is left out, with a word, where it is not there. Figures of a busy
# machine are too high, never too low.
set -eu
cd "$(dirname "$0")/.."
cargo build --profile dist --quiet
cargo build --profile dist --quiet -p uixt-ui --example load
uixt=${CARGO_TARGET_DIR:-target}/dist/uixt
failed=0
[ "$*" = adb ] || [ "$*" = mcp-peers ] || [ "$*" = browser ] || [ "$*" = session ] ||
    [ "$*" = ocr ] || [ "$*" = studio ] || [ "$*" = ios ] || [ "$*" = harmony ] || [ "$*" = miniwob ] || [ "$*" = parallel ] || [ "$*" = evidence ] ||
    python3 benches/measure.py "$uixt" "$@" || failed=1
case "$*" in
'' | adb)
    # tests/all.sh makes a Python that has adbutils.
    python=target/test-venv/bin/python
    [ -x "$python" ] || python=python3
    "$python" -B benches/adb.py "$uixt" || failed=1
    ;;
esac
case "$*" in
'' | mcp-peers) python3 -B benches/mcp_peers.py "$uixt" || failed=1 ;;
esac
case "$*" in
'' | browser) python3 -B benches/browser.py "$uixt" || failed=1 ;;
esac
case "$*" in
'' | session) python3 -B benches/session.py "$uixt" || failed=1 ;;
esac
case "$*" in
'' | parallel) python3 -B benches/parallel.py "$uixt" || failed=1 ;;
esac
case "$*" in
'' | studio)
    # tests/all.sh fetches the client of WebSockets.
    if [ -d target/mcp-clients/node_modules/ws ]; then
        node benches/studio.mjs "$uixt" target/mcp-clients || failed=1
    else
        echo "left out: studio, since target/mcp-clients has no ws: run tests/all.sh"
    fi
    ;;
esac
case "$*" in
'' | evidence) python3 -B benches/evidence.py "$uixt" || failed=1 ;;
esac
case "$*" in
'' | ios)
    cargo build --profile dist --quiet -p uixt-ios --example cost
    python3 -B benches/phones.py "$uixt" iphone --cost "${uixt%/uixt}/examples/cost" || failed=1
    ;;
esac
case "$*" in
'' | harmony)
    cargo build --profile dist --quiet -p uixt-harmony --example cost
    python3 -B benches/phones.py "$uixt" harmony-phone --cost "${uixt%/uixt}/examples/cost" || failed=1
    ;;
esac
case "$*" in
'' | miniwob) benches/miniwob.sh "$uixt" || failed=1 ;;
esac
case "$*" in
'' | ocr)
    cargo build --profile dist --quiet -p uixt-ocr --example speed
    models=${UIXT_MODELS_DIR:-$PWD/target/models}
    [ -f "$models/ppocr-v6-tiny-recognition.onnx" ] || UIXT_MODELS_DIR=$models "$uixt" models install >/dev/null
    UIXT_MODELS_DIR=$models python3 -B benches/ocr.py "$uixt" --speed "${uixt%/uixt}/examples/speed" || failed=1
    ;;
esac
exit "$failed"
