"""Drives a virtual iPhone with npm's `@mobilenext/mobile-mcp` and the robot in it that speaks with WDA.

Usage: iphone_mobile_mcp.py FOLDER, where npm installed it. The phone's WDA, of version 5, is at port 8100, the only one that the robot knows.
Prints which operations were right; what acts is judged by what the phone itself says.
"""

import asyncio
import json
import os
import socket
import sys
import tempfile
import urllib.request

from mcp import ClientSession, StdioServerParameters
from mcp.client.stdio import stdio_client
from PIL import Image

from judging import PATIENCE, Judge

PHONE = "00008110-000E0000000E001E"
WDA = "http://127.0.0.1:8100"
judge = Judge(WDA)
# From iOS 17 on, it wants go-ios' tunnel there, and does no more than to connect.
tunnel = socket.create_server(("127.0.0.1", 60105))


def truth(path):
    with urllib.request.urlopen(WDA + path, timeout=PATIENCE) as answer:
        return json.load(answer)["value"]


def in_front():
    return truth("/wda/activeAppInfo")["bundleId"]


def named(name, node=None):
    """The element of a name, as the phone tells it."""
    node = node or truth("/source?format=json")
    if node.get("rawIdentifier") == name or node.get("label") == name:
        return node
    return next(filter(None, (named(name, child) for child in node.get("children") or [])), None)


def middle(place):
    return {"x": place["x"] + place["width"] // 2, "y": place["y"] + place["height"] // 2}


def judge_all(session, loop):
    def call(tool, **arguments):
        asked = asyncio.run_coroutine_threadsafe(session.call_tool(f"mobile_{tool}", arguments), loop)
        result = asked.result(PATIENCE)
        text = next((item.text for item in result.content if item.type == "text"), "")
        if result.is_error or "Please fix the issue" in text:
            raise AssertionError(f"{tool}: {text}")
        return text

    def on_phone(tool, **arguments):
        return call(tool, device=PHONE, **arguments)

    def elements():
        return json.loads(on_phone("list_elements_on_screen", format="json").split(": ", 1)[1])

    def place(name):
        (found,) = [one for one in elements() if one.get("identifier") == name]
        return found["coordinates"]

    def touched(count, tool, **arguments):
        return judge.counted("touches", lambda: on_phone(tool, **arguments)) == count

    def typed():
        on_phone("type_keys", text="alice & 小明", submit=False)
        return named("user")["value"] == "alice & 小明"

    def submitted():
        return judge.counted("keys", lambda: on_phone("type_keys", text="x", submit=True)) == 2

    def picture():
        with tempfile.TemporaryDirectory(dir="/tmp") as folder:
            path = os.path.join(folder, "screen.png")
            on_phone("save_screenshot", saveTo=path)
            image = Image.open(path)
            return image.size == (1170, 2532) and len(image.getcolors(1 << 24)) > 100

    def moved():
        before = truth("/source?format=json")
        return touched(1, "swipe_on_screen", direction="up") and truth("/source?format=json") != before

    def after(act, so):
        act()
        return so()

    check = judge.check
    device = {"id": PHONE, "name": "uixt iPhone", "platform": "ios", "type": "real", "version": "18.5", "state": "online"}
    check("list devices", lambda: json.loads(call("list_available_devices"))["devices"] == [device])
    check("screen size", lambda: on_phone("get_screen_size") == "Screen size is 390x844 pixels")
    check("launch app", lambda: after(lambda: on_phone("launch_app", packageName="com.uixt.shop"), in_front) == "com.uixt.shop")
    check("elements", lambda: place("sign_in") == named("sign_in")["rect"])
    check("tap", lambda: touched(1, "click_on_screen_at_coordinates", **middle(place("user"))) and named("user")["isFocused"] == "1")
    check("type", typed)
    check("type and submit", submitted)
    check("double tap", lambda: touched(2, "double_tap_on_screen", x=195, y=60))
    check("long press", lambda: touched(1, "long_press_on_screen_at_coordinates", x=195, y=60, duration=800))
    check("screenshot", picture)
    check("open url", lambda: after(lambda: on_phone("open_url", url="uixt-trouble://permission"), in_front) == "com.uixt.trouble")
    check("launch another", lambda: after(lambda: on_phone("launch_app", packageName="com.uixt.settings"), in_front) == "com.uixt.settings")
    check("swipe", moved)
    check("swipe from a place", lambda: touched(1, "swipe_on_screen", direction="down", x=195, y=300, distance=200))
    check("press home", lambda: after(lambda: on_phone("press_button", button="HOME"), in_front) == "com.apple.springboard")
    check("orientation", lambda: on_phone("get_orientation") == "Current device orientation is portrait")
    check("set orientation", lambda: after(lambda: on_phone("set_orientation", orientation="landscape"), lambda: on_phone("get_orientation")) == "Current device orientation is landscape")
    check("terminate app", lambda: judge.counted("terminations", lambda: on_phone("terminate_app", packageName="com.uixt.shop")) == 1)


async def main(folder):
    server = os.path.join(folder, "node_modules/@mobilenext/mobile-mcp/lib/index.js")
    more = {
        "MOBILEMCP_DISABLE_TELEMETRY": "1",
        "MOBILEMCP_LEGACY_ROBOT": "1",
        "MOBILEMCP_ALLOW_UNSAFE_URLS": "1",
        "GO_IOS_PATH": os.path.join(os.path.dirname(os.path.abspath(__file__)), "go_ios.py"),
        # There is no adb to ask for other phones.
        "ANDROID_HOME": "/nowhere",
    }
    parameters = StdioServerParameters(command="node", args=[server, "--stdio"], env={**os.environ, **more})
    async with stdio_client(parameters) as (reader, writer), ClientSession(reader, writer) as session:
        await session.initialize()
        await asyncio.to_thread(judge_all, session, asyncio.get_running_loop())
    judge.tell()


asyncio.run(main(sys.argv[1]))
