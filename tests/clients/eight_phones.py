"""Keeps eight phones busy at once, and looks for mix-ups and leaks.

Usage: eight_phones.py UIXT SECONDS. Half of the phones are driven by one `uixt mcp-server` for all of them, through Debian's adb
server and the phones' adbds; the others by a server each, through the phones' own adb server. A round writes a text that no
other phone has, and reads it back in three ways; every answer must name its phone and show its text. After a minute (or a third
of the time) and at the end, with all at rest, memory and open files of all processes are compared. Prints figures as JSON.
"""

import asyncio
import base64
import contextlib
import json
import os
import signal
import socket
import subprocess
import sys
import tempfile
import time

from mcp import ClientSession, StdioServerParameters
from mcp.client.stdio import stdio_client

PHONES = 8
WARM = 60
# What a process may have more at the end than after the first minute.
MORE_MEMORY = 8 << 20
MORE_FILES = 3
# Shorter runs say nothing of memory: it still warms up.
TELLING = 120
APP = "com.uixt.shop"


def free_port():
    with socket.create_server(("127.0.0.1", 0)) as listener:
        return listener.getsockname()[1]


def picture(server, serial):
    """A picture as the phone itself draws it, from its own adb server."""
    with socket.create_connection(server, timeout=30) as stream:
        for request in (f"host:transport:{serial}", "exec:screencap -p"):
            stream.sendall(b"%04x%s" % (len(request), request.encode()))
            assert stream.recv(4, socket.MSG_WAITALL) == b"OKAY", request
        said = bytearray()
        while part := stream.recv(1 << 20):
            said += part
        return bytes(said)


class Phone:
    """One phone, and the session that drives it; `own` is its serial in the phones' own adb server."""

    def __init__(self, number, own, serial, session, server):
        self.number, self.own, self.serial, self.session, self.server = number, own, serial, session, server
        self.rounds = self.calls = self.pictures = 0

    async def call(self, tool, **arguments):
        result = await self.session.call_tool(f"uixt__{tool}", {"serial": self.serial, **arguments})
        self.calls += 1
        answer = json.loads(next(item.text for item in result.content if item.type == "text"))
        assert answer["success"], (self.serial, answer)
        named = (result.meta or {}).get("uixt", {}).get("serial")
        assert named == self.serial, f"{tool} for {self.serial} was answered by {named}: {answer}"
        return answer, result

    async def round(self):
        self.rounds += 1
        text = f"phone {self.number} round {self.rounds}"
        await self.call("input", text=text, into={"id": "user"}, clear=True)
        answer, _ = await self.call("get_text", id="user")
        assert answer["text"] == text, (self.serial, answer)
        answer, _ = await self.call("snapshot")
        assert f'"{text}"' in answer["snapshot"], (self.serial, answer)
        if self.rounds % 10 == 1:
            await self.same_picture()
        await self.call("press_button", button="down")

    async def same_picture(self):
        """A cursor may blink, and a clock go on, between two pictures."""
        for _ in range(20):
            _, result = await self.call("screenshot", max_image_px=0)
            (image,) = [item for item in result.content if item.type == "image"]
            there = await asyncio.to_thread(picture, self.server, self.own)
            if base64.b64decode(image.data) == there:
                self.pictures += 1
                return
        raise AssertionError(f"{self.serial}: the picture is not that of {self.own}")

    async def work(self, until):
        while time.monotonic() < until:
            await self.round()


def of_process(pid):
    """Resident bytes and open files."""
    with open(f"/proc/{pid}/statm") as file:
        return int(file.read().split()[1]) * os.sysconf("SC_PAGE_SIZE"), len(os.listdir(f"/proc/{pid}/fd"))


def children():
    """The servers that were started for sessions: children of this process that are no phone and no adb server."""
    with open(f"/proc/self/task/{os.getpid()}/children") as file:
        return [int(pid) for pid in file.read().split()]


@contextlib.contextmanager
def running(*command, **how):
    process = subprocess.Popen(command, stdin=subprocess.DEVNULL, stderr=subprocess.DEVNULL, **how)
    try:
        yield process
    finally:
        process.send_signal(signal.SIGTERM)
        process.wait(20)


@contextlib.contextmanager
def rack(uixt, home):
    """The phones and an adb server that has them all; yields both, the phones' own adb server, and what names the phones have."""
    port = free_port()
    environment = {**os.environ, "HOME": home, "TMPDIR": home, "ADB_LOCAL_TRANSPORT_MAX_PORT": "1"}
    phones = [uixt, "phone", "--port", "0", "--adbd-port", "0", "--count", str(PHONES)]
    quiet = {"stdout": subprocess.DEVNULL, "env": environment}
    with running(*phones, stdout=subprocess.PIPE) as phone, running("adb", "-P", str(port), "server", "nodaemon", **quiet) as adb:
        own, *adbds = (phone.stdout.readline().decode().strip() for _ in range(PHONES + 1))
        until = time.monotonic() + 20
        while time.monotonic() < until:
            with contextlib.suppress(OSError), socket.create_connection(("127.0.0.1", port)):
                break
            time.sleep(0.02)
        for address in adbds:
            said = subprocess.run(["adb", "-P", str(port), "connect", address], capture_output=True, env=environment).stdout
            assert b"connected to" in said, said
        host, own_port = own.rsplit(":", 1)
        yield phone, adb, (host, int(own_port)), f"127.0.0.1:{port}", adbds


async def session(stack, uixt, *arguments):
    server = StdioServerParameters(command=uixt, args=["mcp-server", *arguments])
    reader, writer = await stack.enter_async_context(stdio_client(server))
    opened = await stack.enter_async_context(ClientSession(reader, writer))
    await opened.initialize()
    return opened


async def at_work(phones, seconds):
    until = time.monotonic() + seconds
    async with asyncio.TaskGroup() as group:
        for phone in phones:
            group.create_task(phone.work(until))
    await asyncio.sleep(1)


def grown(first, last, seconds):
    """What has grown beyond the limits, in words."""
    for name, (memory, files) in last.items():
        if seconds >= TELLING and memory - first[name][0] > MORE_MEMORY:
            yield f"{name}: {first[name][0] >> 10} KiB became {memory >> 10} KiB"
        if files - first[name][1] > MORE_FILES:
            yield f"{name}: {first[name][1]} open files became {files}"


async def main(uixt, seconds):
    for name in ("UIXT_DEVICE", "UIXT_ADB_SERVER", "ANDROID_SERIAL", "ADB_SERVER_SOCKET", "ANDROID_ADB_SERVER_PORT"):
        os.environ.pop(name, None)
    async with contextlib.AsyncExitStack() as stack:
        home = stack.enter_context(tempfile.TemporaryDirectory(prefix="uixt-phones-"))
        phone, adb, own_server, adb_server, adbds = stack.enter_context(rack(uixt, home))
        processes = {"the phones": phone.pid, "adb's server": adb.pid}
        phones, shared = [], await session(stack, uixt, "--adb-server", adb_server)
        (processes["uixt for 4 phones"],) = set(children()) - set(processes.values())
        for number in range(1, PHONES + 1):
            own = f"uixt-phone-{number}"
            if number <= PHONES // 2:
                phones.append(Phone(number, own, adbds[number - 1], shared, own_server))
                continue
            before = set(children())
            single = await session(stack, uixt, "--device", f"android:{own}", "--adb-server", "{}:{}".format(*own_server))
            (processes[f"uixt for {own}"],) = set(children()) - before
            phones.append(Phone(number, own, own, single, own_server))
        for one in phones:
            await one.call("app_launch", package_name=APP)

        sample = lambda: {name: of_process(pid) for name, pid in processes.items()}
        warm = min(WARM, seconds / 3)
        await at_work(phones, warm)
        first = sample()
        await at_work(phones, seconds - warm)
        last = sample()
    told = lambda sizes: {name: [memory >> 10, files] for name, (memory, files) in sizes.items()}
    figures = {"seconds": seconds, "rounds": [one.rounds for one in phones], "calls": sum(one.calls for one in phones)}
    figures |= {"pictures": sum(one.pictures for one in phones), "KiB and files, first": told(first), "last": told(last)}
    print(json.dumps(figures))
    if leaks := list(grown(first, last, seconds)):
        sys.exit("\n".join(leaks))


asyncio.run(main(os.path.abspath(sys.argv[1]), float(sys.argv[2])))
