"""Drives a phone with npm's `@mobilenext/mobile-mcp`, and asks the phone itself, by adb, what came of it.

Usage: mobile_mcp_client.py FOLDER, where npm installed it. Prints what it saw as one JSON object: of each call the answer, and
what the phone says. The adb server at its usual port is the phone.
"""

import asyncio
import io
import json
import os
import re
import subprocess
import sys
import tempfile
import xml.etree.ElementTree as ElementTree

from mcp import ClientSession, StdioServerParameters
from mcp.client.stdio import stdio_client
from PIL import Image, ImageChops

PHONE = "uixt-phone"


def adb(*arguments):
    return subprocess.run(["adb", "-s", PHONE, *arguments], stdin=subprocess.DEVNULL, capture_output=True, check=True).stdout


def nodes():
    """The elements that the phone itself shows."""
    adb("shell", "uiautomator dump /sdcard/window.xml")
    return list(ElementTree.fromstring(adb("exec-out", "cat", "/sdcard/window.xml")).iter("node"))


def named(identifier):
    (found,) = [node for node in nodes() if node.get("resource-id", "").endswith(f"/{identifier}")]
    return found


def in_front():
    return re.search(r"mCurrentFocus=.* (\S+)/", adb("shell", "dumpsys window").decode()).group(1)


def differing(one, other):
    """The share of pixels that differ between two pictures of the same size."""
    difference = ImageChops.difference(one.convert("RGB"), other.convert("RGB")).convert("L")
    return 1 - difference.histogram()[0] / (one.width * one.height)


async def main(folder):
    server = os.path.join(folder, "node_modules/@mobilenext/mobile-mcp/lib/index.js")
    environment = {**os.environ, "MOBILEMCP_DISABLE_TELEMETRY": "1"}
    seen = {}
    async with (
        stdio_client(StdioServerParameters(command="node", args=[server, "--stdio"], env=environment)) as (reader, writer),
        ClientSession(reader, writer) as session,
    ):
        seen["server"] = (await session.initialize()).server_info.name

        async def call(tool, **arguments):
            result = await session.call_tool(f"mobile_{tool}", arguments)
            text = next((item.text for item in result.content if item.type == "text"), "")
            if result.is_error or "Please fix the issue" in text:
                sys.exit(f"{tool}: {text}")
            return text

        async def element(identifier):
            listed = await call("list_elements_on_screen", device=PHONE, format="json")
            (found,) = [one for one in json.loads(listed.split(": ", 1)[1]) if one.get("identifier", "").endswith(f"/{identifier}")]
            return found

        devices = json.loads(await call("list_available_devices"))["devices"]
        seen["devices"] = [[device["id"], device["platform"], device["name"]] for device in devices]
        seen["model"] = adb("shell", "getprop ro.product.model").decode().strip()
        seen["size"] = [await call("get_screen_size", device=PHONE), adb("shell", "wm size").decode()]

        await call("launch_app", device=PHONE, packageName="com.uixt.shop")
        seen["in_front"] = in_front()

        field, truth = await element("password"), named("password")
        place = [int(number) for number in re.findall(r"\d+", truth.get("bounds"))]
        told = field["coordinates"]
        seen["bounds"] = [[told["x"], told["y"], told["x"] + told["width"], told["y"] + told["height"]], place]

        focus = [named("password").get("focused")]
        middle = {"x": told["x"] + told["width"] // 2, "y": told["y"] + told["height"] // 2}
        await call("click_on_screen_at_coordinates", device=PHONE, **middle)
        focus.append(named("password").get("focused"))
        user = await element("user")
        await call("click_on_screen_at_coordinates", device=PHONE, ref=user["ref"])
        seen["focus"] = [*focus, named("password").get("focused"), named("user").get("focused")]

        await call("type_keys", device=PHONE, text="alice & 'bob' $HOME", submit=False)
        seen["typed"] = named("user").get("text")

        path = os.path.join(tempfile.mkdtemp(dir="/tmp"), "screen.png")
        await call("save_screenshot", device=PHONE, saveTo=path)
        there = Image.open(io.BytesIO(adb("exec-out", "screencap", "-p")))
        saved = Image.open(path)
        seen["picture"] = [list(saved.size), differing(saved, there), len(there.getcolors(1 << 24))]
        os.unlink(path)
        os.rmdir(os.path.dirname(path))

        await call("press_button", device=PHONE, button="HOME")
        seen["after_home"] = in_front()
    print(json.dumps(seen))


asyncio.run(asyncio.wait_for(main(sys.argv[1]), 100))
