"""A tap, a dump and a screenshot through a real adb server: uixt beside `adb`, adbutils and raw sockets.

Starts a phone with its adbd and an adb server of its own, or takes the server and the device that it is given. The ways are
measured in turns (A B C D A B C D ...), so that whatever else the machine does slows all of them. Counts, too, the connections
and requests that uixt makes for each call, by a proxy before the server. Needs `adb`; adbutils where Python has it.
"""

import argparse
import collections
import contextlib
import functools
import os
import pathlib
import random
import shutil
import signal
import socket
import statistics
import subprocess
import sys
import tempfile
import threading
import time

from measure import Mcp, Table, of_process, percentile, seconds, service

try:
    import adbutils
except ImportError:
    adbutils = None

MS = 1e3
TAP = "input tap 540 1200"
# What uixt asks before it: whether that lies on the screen as it is turned now, and whether that is lit.
LOOK = "dumpsys window displays | grep -E 'mDisplayId=|cur=|mCurrentRotation=|^ *mRotation=|mAwake='"
DUMP = "uiautomator dump /dev/tty"
# What uixt may ask for a call: streams to the device, and questions to the adb server besides.
BUDGETS = {"tap": (2, 0), "key": (1, 0), "dump": (1, 0), "screenshot": (1, 0)}


def free_port():
    with socket.create_server(("127.0.0.1", 0)) as listener:
        return listener.getsockname()[1]


@contextlib.contextmanager
def phone_and_server(uixt, folder):
    """A phone's adbd as the device of a real adb server; yields the server's port and the device's serial."""
    phone = subprocess.Popen(
        [uixt, "phone", "--port", "0", "--adbd-port", "0"], stdout=subprocess.PIPE, stderr=subprocess.DEVNULL
    )
    port = free_port()
    environment = {**os.environ, "HOME": str(folder), "TMPDIR": str(folder), "ADB_LOCAL_TRANSPORT_MAX_PORT": "1"}
    server = None
    try:
        _, serial = (phone.stdout.readline().decode().strip() for _ in range(2))
        quiet = {"stdout": subprocess.DEVNULL, "stderr": subprocess.DEVNULL, "env": environment}
        server = subprocess.Popen(["adb", "-P", str(port), "server", "nodaemon"], **quiet)
        until = time.monotonic() + 20
        while time.monotonic() < until:
            with contextlib.suppress(OSError), socket.create_connection(("127.0.0.1", port)):
                break
            time.sleep(0.01)
        said = subprocess.run(["adb", "-P", str(port), "connect", serial], capture_output=True, env=environment).stdout
        if b"connected to" not in said:
            sys.exit(f"adb connect {serial}: {said.decode()}")
        yield port, serial
    finally:
        for process in filter(None, (server, phone)):
            process.send_signal(signal.SIGTERM)
            process.wait(10)


class Counter:
    """A proxy before an adb server that notes the requests of every connection."""

    def __init__(self, port):
        self.upstream = port
        self.connections = []
        self.listener = socket.create_server(("127.0.0.1", 0))
        self.port = self.listener.getsockname()[1]
        threading.Thread(target=self.accept, daemon=True).start()

    def accept(self):
        while True:
            client, _ = self.listener.accept()
            requests = []
            self.connections.append(requests)
            threading.Thread(target=self.serve, args=(client, requests), daemon=True).start()

    def serve(self, client, requests):
        server = socket.create_connection(("127.0.0.1", self.upstream))
        threading.Thread(target=self.copy, args=(server, client), daemon=True).start()
        # Requests have their length before them; what follows the choice of a service is that service's.
        while not requests or requests[-1].startswith("host:transport"):
            length = client.recv(4, socket.MSG_WAITALL)
            if len(length) < 4:
                break
            request = client.recv(int(length, 16), socket.MSG_WAITALL)
            requests.append(request.decode())
            server.sendall(length + request)
        self.copy(client, server)

    @staticmethod
    def copy(source, sink):
        with contextlib.suppress(OSError):
            while part := source.recv(1 << 16):
                sink.sendall(part)
            sink.shutdown(socket.SHUT_WR)

    def of(self, work):
        """Returns how many streams to the device and how many other questions a piece of work costs."""
        self.connections.clear()
        work()
        questions = sum(len(requests) == 1 for requests in self.connections)
        return len(self.connections) - questions, questions


def ways(mcp, port, serial):
    """What each piece of work is called, and how each program does it."""
    raw = functools.partial(service, ("127.0.0.1", port), serial)
    adb = lambda *arguments: lambda: subprocess.run(
        ["adb", "-P", str(port), "-s", serial, *arguments], check=True, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE
    )
    work = {
        "tap": {
            "uixt": lambda: mcp.call("tap_abs_xy", x=540, y=1200),
            "adb": adb("shell", TAP),
            "adb, looking": lambda: (adb("shell", LOOK)(), adb("shell", TAP)()),
            "raw sockets": lambda: raw(f"shell,v2,raw:{TAP}"),
        },
        "key": {
            "uixt": lambda: mcp.call("press_button", button="down"),
            "adb": adb("shell", "input keyevent 20"),
            "raw sockets": lambda: raw("shell,v2,raw:input keyevent 20"),
        },
        "dump": {
            "uixt": lambda: mcp.call("get_source"),
            "adb": adb("exec-out", DUMP),
            "raw sockets": lambda: raw(f"exec:{DUMP}"),
        },
        "screenshot": {
            "uixt": lambda: mcp.call("screenshot", max_image_px=0),
            "adb": adb("exec-out", "screencap -p"),
            "raw sockets": lambda: raw("exec:screencap -p"),
            "raw sockets, no PNG": lambda: raw("exec:screencap"),
        },
    }
    if adbutils:
        device = adbutils.AdbClient("127.0.0.1", port).device(serial)
        work["tap"]["adbutils"] = lambda: device.click(540, 1200)
        work["key"]["adbutils"] = lambda: device.keyevent(20)
        work["dump"]["adbutils"] = device.dump_hierarchy
        work["screenshot"]["adbutils"] = device.screenshot
    else:
        print("skipped: adbutils, which this Python does not have (tests/all.sh makes one that has)")
    return work


def compare(table, name, work, rounds, judged):
    """Measures the ways of one piece of work in turns; where that is judged, uixt may not be slower than the programs are."""
    took, failed = collections.defaultdict(list), collections.Counter()
    order = list(work)
    for _ in range(rounds):
        # What one leaves behind, in memory and in caches, must not fall on the same next one each time.
        random.shuffle(order)
        for way in order:
            try:
                took[way].append(seconds(work[way]) * MS)
            except (OSError, SystemExit) as error:
                # Debian's adbd now and then ends an `exec:` before all of its output is sent: no picture is whole then.
                failed[way] += 1
                print(f"{name}: {way}: {error}")
    median = {way: statistics.median(times) for way, times in took.items()}
    for way, times in took.items():
        table.add(f"{name}: {way}, p50", median[way], "ms")
        table.add(f"{name}: {way}, p99", percentile(times, 99), "ms")
        if failed[way]:
            table.add(f"{name}: {way}, failed", failed[way], "times", 0 if judged and way == "uixt" else None)
    for other in [way for way in work if way != "uixt"]:
        budget = 1 if judged and not other.startswith("raw") else None
        table.add(f"{name}: uixt / {other}", median["uixt"] / median[other], "x", budget)


def count(uixt, port, serial, table):
    counter = Counter(port)
    mcp = Mcp(uixt, "--device", f"android:{serial}", "--adb-server", f"127.0.0.1:{counter.port}").ready()
    for name, work in ways(mcp, port, serial).items():
        work["uixt"]()
        streams, questions = counter.of(work["uixt"])
        table.add(f"{name}: streams that uixt opens", streams, "", BUDGETS[name][0])
        table.add(f"{name}: questions that uixt asks the adb server", questions, "", BUDGETS[name][1])
    mcp.close()


def measure(uixt, port, serial, rounds, judged, table):
    count(uixt, port, serial, table)
    mcp = Mcp(uixt, "--device", f"android:{serial}", "--adb-server", f"127.0.0.1:{port}").ready()
    mcp.call("app_launch", package_name="com.uixt.settings")
    for name, work in ways(mcp, port, serial).items():
        compare(table, name, work, rounds, judged)
    table.add("MCP server, memory", of_process(mcp.process.pid, "VmRSS") / (1 << 20), "MiB")
    mcp.close()


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("uixt", help="the program to measure")
    parser.add_argument("--rounds", type=int, default=60, help="how often each way works; 30 at least tell a p99")
    parser.add_argument("--server", type=int, metavar="PORT", help="an adb server that is there, instead of one of its own")
    parser.add_argument("--serial", help="its device")
    arguments = parser.parse_args()
    if not shutil.which("adb"):
        print("skipped: everything through an adb server, since there is no adb")
        return
    for name in ("UIXT_DEVICE", "UIXT_ADB_SERVER", "ANDROID_SERIAL", "ADB_SERVER_SOCKET", "ANDROID_ADB_SERVER_PORT"):
        os.environ.pop(name, None)
    table = Table()
    uixt = os.path.abspath(arguments.uixt)
    with contextlib.ExitStack() as stack:
        if arguments.server:
            port, serial = arguments.server, arguments.serial
        else:
            folder = stack.enter_context(tempfile.TemporaryDirectory(prefix="uixt-bench-"))
            port, serial = stack.enter_context(phone_and_server(uixt, pathlib.Path(folder)))
        # Where every command on the device costs the same and much, what looks before it acts cannot be as fast as what does not.
        measure(uixt, port, serial, arguments.rounds, not arguments.server, table)
    print(f"load of the machine: {os.getloadavg()[0]:.1f} on {os.cpu_count()} processors")
    if table.missed:
        sys.exit(f"{table.missed} beyond 1.2 x their budget")


if __name__ == "__main__":
    main()
