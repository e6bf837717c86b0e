"""Looks at virtual iPhones through usbmuxd with libimobiledevice's programs, and with go-ios.

Usage: iphone_usbmuxd.py SOCKET GO_IOS (list|forward) UDID…. SOCKET is the path of usbmuxd's, GO_IOS the program, or empty where there is none.
`forward` takes ports of this computer, which cannot be left to choose: begin it in a network of its own. Prints which operations were right.
"""

import json
import os
import subprocess
import sys
import urllib.request

from judging import PATIENCE, Judge, until

socket, go_ios, what, *udids = sys.argv[1:]
judge = Judge()
check = judge.check


def environment(address):
    return {**os.environ, "USBMUXD_SOCKET_ADDRESS": address}


# go-ios takes a path as it is.
THEIRS, OURS = environment(f"UNIX:{socket}"), environment(socket)


def told(env, *command):
    done = subprocess.run(command, env=env, stdin=subprocess.DEVNULL, capture_output=True, text=True, timeout=PATIENCE, check=True)
    return done.stdout


def info(udid, *more):
    return told(THEIRS, "ideviceinfo", "-s", "-u", udid, *more)


def forwarded(env, port, *command):
    """Whether WDA answers at a port of this computer while a command runs."""

    def answers():
        if process.poll() is not None:
            raise RuntimeError(f"{command[0]} ended with {process.returncode}")
        try:
            with urllib.request.urlopen(f"http://127.0.0.1:{port}/status", timeout=PATIENCE) as answer:
                return json.load(answer)["value"]["ready"] is True
        except OSError:
            return False

    process = subprocess.Popen(command, env=env, stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    try:
        return until(answers)
    finally:
        process.kill()
        process.wait()


if what == "list":
    check("idevice_id -l", lambda: sorted(told(THEIRS, "idevice_id", "-l").split()) == sorted(udids))
    for udid in udids:
        check(f"ideviceinfo -s of {udid}", lambda: {"ProductVersion: 18.5", f"UniqueDeviceID: {udid}"} <= set(info(udid).splitlines()))
        check(f"ideviceinfo -k of {udid}", lambda: info(udid, "-k", "DeviceName").strip() == "uixt iPhone")
    if go_ios:
        check("ios list", lambda: sorted(json.loads(told(OURS, go_ios, "list"))["deviceList"]) == sorted(udids))
else:
    for port, udid in enumerate(udids, 28111):
        check(f"iproxy to {udid}", lambda: forwarded(THEIRS, port, "iproxy", f"{port}:8100", "-u", udid))
    if go_ios:
        for port, udid in enumerate(udids, 28211):
            check(f"ios forward to {udid}", lambda: forwarded(OURS, port, go_ios, "forward", str(port), "8100", f"--udid={udid}"))
judge.tell()
