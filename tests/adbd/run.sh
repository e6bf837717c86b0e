#!/usr/bin/env bash
# Runs a command where an adbd is device 127.0.0.1:5555.
#
# Usage: tests/adbd/run.sh WAY ADBD UIXT COMMAND…
# WAY: `server` for Debian's adb server before it, `direct` for none.
# ADBD: the folder that tests/adbd/fetch.sh filled, for Debian's adbd with a uixt phone behind it; `phone` for the phone's own adbd.
#
# All of it lives in network, mount and process namespaces of its own, so that it meets nobody's adb and writes into nobody's
# /data; it ends with the command.
set -euo pipefail
here=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)
if [[ ${1:-} != --inside ]]; then
    exec unshare --net --mount --pid --fork --kill-child --mount-proc "$0" --inside "$@"
fi
way=$2 adbd=$3 uixt=$4
shift 4
[[ $adbd == phone ]] || adbd=$(cd "$adbd/root" && pwd)

ip link set lo up
mkdir -p /data /sdcard
mount -t tmpfs none /data
mount -t tmpfs none /sdcard
mkdir -p /data/local/tmp /data/home /data/commands
export HOME=/data/home UIXT_PHONE_PORT=5100 UIXT_PHONE_ADB
UIXT_PHONE_ADB=$(command -v adb)
# Making a key takes a debug build seconds on a busy machine.
mkdir "$HOME/.android"
adb keygen "$HOME/.android/adbkey" >/dev/null 2>&1

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

# Starts the phone behind Debian's adbd, and prepares the programs that adbd finds before this machine's.
prepare_debians() {
    local android=$adbd/usr/lib/x86_64-linux-gnu programs=/data/programs name
    mkdir "$programs"
    for name in am cat cmd content dumpsys getprop ime input locksettings logcat ls mkdir monkey pidof pkill pm rm screencap \
        screenrecord setprop settings stat svc uiautomator wm; do
        ln -s "$here/on-phone" "$programs/$name"
    done
    "$uixt" phone --port "$UIXT_PHONE_PORT" >/data/phone.log 2>&1 &
    # An adb client that found nobody there would start a server of its own in its place.
    until_it grep -q 'is up' /data/phone.log || { cat /data/phone.log >&2; exit 1; }
    cat <<END
PATH=$programs:\$PATH exec "$adbd/usr/lib64/ld-linux-x86-64.so.2" --library-path "$android/android:$android" \\
    "$adbd/usr/lib/android-sdk/platform-tools/adbd"
END
}

# Commands of the tests: `plug [WHOM]` starts adbd, which lets in WHOM (the phone's only), and connects it; `unplug` kills it;
# `freeze` stops it, and `thaw` lets it go on; `later COMMAND…` runs something in 2 s, whatever becomes of who asked.
adbd_command() {
    case $adbd in
        phone) echo "exec \"$uixt\" phone --port $UIXT_PHONE_PORT --adbd-port 5555 --adbd-auth \"\${1:-all}\"" ;;
        *) prepare_debians ;;
    esac
}
{
    echo '#!/bin/bash'
    adbd_command
} >/data/commands/adbd
cat >/data/commands/plug <<END
#!/bin/bash
if ! [[ -f /data/adbd.pid ]]; then
    setsid /data/commands/adbd "\$@" >/data/adbd.log 2>&1 </dev/null &
    echo \$! >/data/adbd.pid
fi
connected() {
    if [[ $way == direct ]]; then
        (: </dev/tcp/127.0.0.1/5555) 2>/dev/null
    elif [[ \${1:-all} == none ]]; then
        adb connect 127.0.0.1:5555 >/dev/null; adb devices | grep -q unauthorized
    else
        adb connect 127.0.0.1:5555 | grep -q '^already connected' && adb -s 127.0.0.1:5555 shell true
    fi
}
for _ in {1..600}; do
    connected "\$@" && exit
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
# It listens until its last thread has ended; then the first process of this namespace takes it away.
while [[ -e /proc/$pid ]]; do sleep 0.01; done
END
cat >/data/commands/later <<'END'
#!/bin/bash
# What is in no group of the caller's is not ended with it; it may be ended before that.
/bin/rm -f /data/detached
setsid bash -c "touch /data/detached; sleep 2; $*" >/dev/null 2>&1 </dev/null &
until [[ -e /data/detached ]]; do sleep 0.02; done
END
printf '#!/bin/bash\nkill -STOP "$(</data/adbd.pid)"\n' >/data/commands/freeze
printf '#!/bin/bash\nkill -CONT "$(</data/adbd.pid)"\n' >/data/commands/thaw
chmod +x /data/commands/*
export PATH=$PATH:/data/commands

# The server before adbd: it takes whatever listens on 5555 when it starts for an emulator.
[[ $way == direct ]] || adb start-server >/data/server.log 2>&1
plug
# The namespaces' end is that of everything that was started here.
"$@"
