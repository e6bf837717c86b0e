"""Drives a virtual Harmony phone with agent-device, a command at a time, by `hdc` on the PATH.

Usage: harmony_agent_device.py HOST:PORT FOLDER, of a phone that was just started, and that in which npm installed agent-device with a
Node. Prints which operations were right. Ends the daemon that agent-device starts.
"""

import json
import os
import re
import signal
import subprocess
import sys
import tempfile

from harmony import PATIENCE, Phone
from judging import Judge, until

address, modules = sys.argv[1], os.path.join(sys.argv[2], "node_modules")
home = tempfile.TemporaryDirectory()
environment = dict(os.environ, HDC_SERVER=address, HOME=home.name, DO_NOT_TRACK="1", AGENT_DEVICE_STATE_DIR=home.name)
environment["PATH"] = os.path.dirname(os.path.abspath(__file__)) + os.pathsep + environment["PATH"]
phone, judge = Phone(address), Judge()
check, counted = judge.check, phone.counted


def run(*words):
    command = [os.path.join(modules, ".bin/node"), os.path.join(modules, "agent-device/bin/agent-device.mjs"), *words, "--platform", "harmonyos"]
    done = subprocess.run(command, env=environment, cwd=home.name, capture_output=True, text=True, timeout=PATIENCE)
    if done.returncode:
        raise AssertionError(done.stdout + done.stderr)
    return done.stdout


def told(*words):
    return json.loads(run(*words, "--json"))["data"]


def after(act, so):
    """Whether something is so after something was done."""
    act()
    return so()


def ref(of):
    """The reference of what a snapshot calls so."""
    return re.search(rf"(@e\d+) \[{of}", run("snapshot", "-i")).group(1)


try:
    check("devices", lambda: [device["id"] for device in told("devices")["devices"]] == ["uixt-harmony"])
    check("apps", lambda: "com.uixt.shop" in run("apps"))
    check("open", lambda: after(lambda: run("open", "com.uixt.shop"), lambda: phone.shows("Sign in")))
    check("snapshot", lambda: re.search(r'@e\d+ \[button\] "Sign in"', run("snapshot", "-i")) is not None)
    check("press", lambda: after(lambda: run("press", ref(r'textinput\] "user"')), lambda: phone.node(id="user")["focused"] == "true"))
    check("fill", lambda: after(lambda: run("fill", ref(r'textinput\] "user"'), "alice"), lambda: phone.node(id="user")["text"] == "alice"))
    check("fill a password", lambda: after(lambda: run("fill", ref(r'textinput\] "password"'), "secret123"), lambda: phone.node(id="password")["text"] == "•" * 9))
    check("back", lambda: after(lambda: run("back"), lambda: phone.node(bundleName="com.example.kikakeyboard") is None))
    check("press a button", lambda: after(lambda: run("press", ref(r'button\] "Sign in"')), lambda: until(lambda: phone.shows("Welcome, alice"))))
    check("scroll", lambda: counted("touches", lambda: run("scroll", "down")) >= 1)
    check("home", lambda: after(lambda: run("home"), lambda: phone.shows("Shop")))
    check("screenshot", lambda: after(lambda: run("screenshot", os.path.join(home.name, "screen.png")), lambda: os.path.getsize(os.path.join(home.name, "screen.png")) > 1000))
    film = os.path.join(home.name, "film.mp4")
    check("record", lambda: counted("recordings", lambda: run("record", "start", film, "--scope", "device")) == 1)
    check("end a record", lambda: after(lambda: run("record", "stop"), lambda: open(film, "rb").read()[4:8] == b"ftyp"))
    check("close", lambda: "Closed" in run("close"))
finally:
    with open(os.path.join(home.name, "daemon.json")) as file:
        daemon = json.load(file)["pid"]
    os.kill(daemon, signal.SIGTERM)
    until(lambda: not os.path.exists(f"/proc/{daemon}"))
judge.tell()
