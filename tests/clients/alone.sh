#!/usr/bin/env bash
# Runs a command where nothing but loopback can be reached, beside a uixt phone: the adb server of this machine, or what PHONE says.
# Usage: [PHONE="--ios --port 8100"] tests/clients/alone.sh UIXT COMMAND…. It lives in network and process namespaces of its own; what is
# started in them ends with the command.
set -euo pipefail
if [[ ${1:-} != --inside ]]; then
    exec unshare --net --pid --fork --kill-child --mount-proc "$0" --inside "$@"
fi
uixt=$2
shift 2

ip link set lo up
HOME=$(mktemp -d)
trap 'rm -rf "$HOME"' EXIT
export HOME
unset ANDROID_HOME ANDROID_SERIAL ANDROID_ADB_SERVER_PORT ADB_SERVER_SOCKET

read -ra phone <<<"${PHONE:---port 5037}"
"$uixt" phone "${phone[@]}" >"$HOME/phone.log" 2>&1 &
for _ in {1..600}; do
    # An adb client that found nobody there would start a server of its own in its place.
    grep -q 'is up' "$HOME/phone.log" && break
    sleep 0.05
done
"$@"
