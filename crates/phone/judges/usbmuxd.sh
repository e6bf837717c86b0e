#!/bin/sh
# Looks at virtual iPhones through usbmuxd with libimobiledevice's programs and go-ios: usbmuxd.sh ADDRESS [IOS]
# ADDRESS is HOST:PORT, or UNIX:/path, which go-ios writes without its first word; IOS is go-ios' program.
export USBMUXD_SOCKET_ADDRESS="$1"
program=${2:-ios}
ios() { USBMUXD_SOCKET_ADDRESS="${USBMUXD_SOCKET_ADDRESS#UNIX:}" "$program" "$@"; }
udid=00008110-000E0000000E001E
good=0
all=0
check() {
    all=$((all + 1))
    if printf '%s' "$2" | grep -q "$3"; then
        good=$((good + 1))
        echo "ok   $1"
    else
        echo "BAD  $1: $2"
    fi
}
check "idevice_id -l" "$(idevice_id -l 2>&1)" "$udid"
check "ideviceinfo -s" "$(ideviceinfo -s -u $udid 2>&1)" "ProductVersion: 18.5"
check "ideviceinfo -k" "$(ideviceinfo -s -u $udid -k DeviceName 2>&1)" "uixt iPhone"
iproxy 28111:8100 -u $udid >/dev/null 2>&1 &
proxy=$!
sleep 1
check "iproxy" "$(curl -s -m 10 http://127.0.0.1:28111/status 2>&1)" '"ready": true'
kill $proxy
check "ios list" "$(ios list 2>&1)" "$udid"
USBMUXD_SOCKET_ADDRESS="${USBMUXD_SOCKET_ADDRESS#UNIX:}" "$program" forward 28112 8100 --udid=$udid >/dev/null 2>&1 &
forward=$!
sleep 2
check "ios forward" "$(curl -s -m 10 http://127.0.0.1:28112/status 2>&1)" '"ready": true'
kill $forward
echo "$good of $all right"
[ $good = $all ]
