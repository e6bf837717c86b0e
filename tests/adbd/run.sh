#!/usr/bin/env bash
# Runs a command where Debian's adbd is device 127.0.0.1:5555 of Debian's adb server, and a uixt phone stands behind it.
#
# Usage: tests/adbd/run.sh ADBD_FOLDER UIXT COMMAND…, where tests/adbd/fetch.sh filled the folder. All of it lives in network
# and mount namespaces of its own, so that it meets nobody's adb and writes into nobody's /data; it ends with the command.
set -euo pipefail
here=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)
if [[ ${1:-} != --inside ]]; then
    exec unshare --net --mount --pid --fork --kill-child --mount-proc "$0" --inside "$@"
fi
root=$(cd "$2/root" && pwd) uixt=$3
shift 3

ip link set lo up
mkdir -p /data /sdcard
mount -t tmpfs none /data
mount -t tmpfs none /sdcard
mkdir -p /data/local/tmp /data/home
export HOME=/data/home UIXT_PHONE_PORT=5100 UIXT_PHONE_ADB
UIXT_PHONE_ADB=$(command -v adb)

programs=/data/programs
mkdir "$programs"
for name in am cat cmd content dumpsys getprop ime input locksettings logcat ls mkdir monkey pidof pkill pm rm screencap \
    screenrecord setprop settings stat svc uiautomator wm; do
    ln -s "$here/on-phone" "$programs/$name"
done

say() {
    echo "tests/adbd/run.sh: $*" >&2
}

# Waits until a command succeeds, 30 s at most.
until_it() {
    for _ in $(seq 600); do
        "$@" >/dev/null 2>&1 && return
        sleep 0.05
    done
    say "not within 30 s: $*"
    return 1
}

"$uixt" phone --port "$UIXT_PHONE_PORT" >/data/phone.log 2>&1 &
# An adb client that found nobody there would start a server of its own in its place.
until_it grep -q 'is up' /data/phone.log || { cat /data/phone.log >&2; exit 1; }
# The server before adbd: it takes whatever listens on 5555 when it starts for an emulator.
adb start-server >/data/server.log 2>&1
android=$root/usr/lib/x86_64-linux-gnu
# Commands of the tests: `plug` starts adbd and connects it, `unplug` kills it, `/data/faults/NAME` replaces a program.
mkdir -p /data/commands /data/faults
export PATH=$PATH:/data/commands
cat >/data/commands/plug <<END
#!/bin/bash
if ! [[ -f /data/adbd.pid ]]; then
    PATH=$programs:\$PATH setsid "$root/usr/lib64/ld-linux-x86-64.so.2" --library-path "$android/android:$android" \\
        "$root/usr/lib/android-sdk/platform-tools/adbd" >/data/adbd.log 2>&1 </dev/null &
    echo \$! >/data/adbd.pid
fi
for _ in {1..600}; do
    adb connect 127.0.0.1:5555 | grep -q '^already connected' && adb -s 127.0.0.1:5555 shell true && exit
    sleep 0.05
done
cat /data/adbd.log >&2
exit 1
END
cat >/data/commands/unplug <<'END'
#!/bin/bash
# What adbd runs finds the phone's programs first.
pid=$(</data/adbd.pid)
/bin/rm /data/adbd.pid
kill -9 "$pid"
END
chmod +x /data/commands/*
plug
# The namespaces' end is that of everything that was started here.
"$@"
