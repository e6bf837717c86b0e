"""The program as it is packaged -> a table of figures, each beside its budget.

Runs whole processes and looks at them from outside; knows nothing of the program's inside. What is compared is measured in
turns (A B A B ...), so that a machine whose speed drifts slows both, and medians are kept: of many short runs that of the
calmest stretch. Standard library only.
"""

import argparse
import collections
import contextlib
import json
import os
import pathlib
import resource
import shutil
import signal
import socket
import statistics
import struct
import subprocess
import sys
import tempfile
import time
import zlib

TOLERANCE = 1.2
KIB, MIB = 1024, 1024 * 1024

GROUPS = {}


def group(function):
    """Registers a group of figures under its function's name."""
    GROUPS[function.__name__] = function
    return function


class Table:
    """Figures with their budgets; a figure without a budget only informs."""

    def __init__(self):
        self.missed = 0

    def add(self, figure, value, unit, budget=None):
        if budget is None:
            verdict = ""
        elif value <= budget:
            verdict = "ok"
        elif value <= budget * TOLERANCE:
            verdict = "over, within 1.2 x"
        else:
            verdict = "MISSED"
            self.missed += 1
        limit = "" if budget is None else f"{budget:g}"
        print(f"{figure:<58} {value:>10.2f} {unit:<6} {limit:>7}  {verdict}".rstrip(), flush=True)


# Processes

Ran = collections.namedtuple("Ran", "wall cpu peak")


def spawn(program, arguments, stdout=None):
    """Starts a process with as little of Python in the way as there can be; returns its id."""
    null = os.open(os.devnull, os.O_RDWR)
    try:
        actions = [(os.POSIX_SPAWN_DUP2, null, 0)]
        actions += [(os.POSIX_SPAWN_DUP2, null if stdout is None else stdout, 1), (os.POSIX_SPAWN_DUP2, null, 2)]
        return os.posix_spawn(program, [program, *map(str, arguments)], os.environ, file_actions=actions)
    finally:
        os.close(null)


def run(program, *arguments):
    """Runs a process to its end; returns its seconds, those of processors, and its peak memory in bytes."""
    begin = time.perf_counter()
    pid = spawn(program, arguments)
    _, status, usage = os.wait4(pid, 0)
    wall = time.perf_counter() - begin
    code = os.waitstatus_to_exitcode(status)
    if code != 0:
        sys.exit(f"`{program} {' '.join(map(str, arguments))}` ended with {code}")
    return Ran(wall, usage.ru_utime + usage.ru_stime, usage.ru_maxrss * KIB)


def floor():
    """The least that `run` can tell of memory: Linux counts what this process held when it started the other."""
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss * KIB


def of_process(pid, field):
    """Reads a size from /proc/PID/status, in bytes; VmHWM is the peak, VmRSS the present."""
    for line in pathlib.Path(f"/proc/{pid}/status").read_text().splitlines():
        if line.startswith(f"{field}:"):
            return int(line.split()[1]) * KIB
    return 0


def peak_of_printing(program, *arguments):
    """Returns the peak memory of a process that prints: it is looked at while it waits for a full pipe."""
    reader, writer = os.pipe()
    os.set_blocking(writer, False)
    with contextlib.suppress(BlockingIOError):
        while True:
            os.write(writer, b"\n" * 4096)
    with contextlib.suppress(BlockingIOError):
        while True:
            os.write(writer, b"\n")
    os.set_blocking(writer, True)
    pid = spawn(program, arguments, stdout=writer)
    os.close(writer)
    peak, calm = 0, 0
    while calm < 20:
        seen = of_process(pid, "VmHWM")
        calm = calm + 1 if seen == peak and seen else 0
        peak = max(peak, seen)
        time.sleep(0.002)
    while os.read(reader, 65536):
        pass
    os.close(reader)
    os.waitpid(pid, 0)
    return peak


class Mcp:
    """A long-lived `uixt mcp-server` and a client of it."""

    def __init__(self, uixt, *arguments):
        self.process = subprocess.Popen(
            [uixt, "mcp-server", *arguments], stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL,
            close_fds=False,
        )
        self.number = 0
        self.ask("initialize", {
            "protocolVersion": "2025-06-18", "capabilities": {}, "clientInfo": {"name": "bench", "version": "1"},
        })

    def ready(self):
        self.send({"jsonrpc": "2.0", "method": "notifications/initialized"})
        return self

    def send(self, message):
        self.process.stdin.write(json.dumps(message).encode() + b"\n")
        self.process.stdin.flush()

    def ask(self, method, params=None):
        """Sends a request; returns the line that answers it, as bytes."""
        self.number += 1
        self.send({"jsonrpc": "2.0", "id": self.number, "method": method, "params": params or {}})
        while True:
            line = self.process.stdout.readline()
            if not line:
                sys.exit("the MCP server went away")
            if b'"id":%d' % self.number in line:
                return line

    def call(self, tool, **arguments):
        """Calls a tool that must succeed; returns its result."""
        result = json.loads(self.ask("tools/call", {"name": tool, "arguments": arguments}))["result"]
        if result.get("isError"):
            sys.exit(f"{tool}: {result['content'][0]['text']}")
        return result

    def close(self):
        self.process.stdin.close()
        self.process.wait(10)
        self.process.stdout.close()


def service(where, serial, name):
    """Opens a service of a device of the adb server at an address, and reads all that it says."""
    with socket.create_connection(where, timeout=60) as stream:
        stream.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
        for request in (f"host:transport:{serial}", name):
            stream.sendall(b"%04x%s" % (len(request), request.encode()))
            if stream.recv(4, socket.MSG_WAITALL) != b"OKAY":
                sys.exit(f"the adb server refused {request}")
        said = bytearray()
        while part := stream.recv(1 << 20):
            said += part
        return bytes(said)


class Phone:
    """A virtual phone in a process of its own, and raw sockets to it."""

    def __init__(self, uixt):
        self.process = subprocess.Popen(
            [uixt, "phone", "--port", "0"], stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, close_fds=False
        )
        self.address = self.process.stdout.readline().decode().strip()
        host, port = self.address.rsplit(":", 1)
        self.where = (host, int(port))

    def service(self, name):
        return service(self.where, "uixt-phone", name)

    def close(self):
        self.process.send_signal(signal.SIGINT)
        self.process.wait(10)
        self.process.stdout.close()


def seconds(work, *arguments):
    begin = time.perf_counter()
    work(*arguments)
    return time.perf_counter() - begin


def calm(samples, batches=5):
    """Returns the median of the calmest stretch: what others do on the machine only ever adds."""
    size = max(1, len(samples) // batches)
    return min(statistics.median(samples[at:at + size]) for at in range(0, size * batches, size) if samples[at:at + size])


def percentile(values, percent):
    ordered = sorted(values)
    return ordered[min(len(ordered) - 1, len(ordered) * percent // 100)]


# What is measured on


def log_case(path, steps):
    lines = [f"- log: step {number}\n" for number in range(1, steps + 1)]
    path.write_text("config: {name: Steps}\nteststeps:\n" + "".join(lines))


SHORT = [
    "- app_launch: com.uixt.shop",
    "- input: {text: $user, into: User name}",
    "- tap_element: {text: Sign in, timeout: 5}",
    "- name: Buy\n  tap_element: {role: button, text: Add to cart}",
    "- get_text: {id: welcome}\n  save: greeting",
    "- assert_visible: Welcome, $user",
    "- swipe: up",
    "- log: done with $user",
]
LONG = [
    "- name: Log in\n  android:\n    actions:\n    - {method: app_launch, params: com.uixt.shop}\n"
    "    - {method: tap_by_selector, params: User name}\n    - {method: input, params: $user}\n"
    "    - {method: tap_by_selector, params: Sign in, timeout: 5}\n"
    "  validate:\n  - {check: ui_ocr, assert: exists, expect: \"Welcome, $user\", msg: not signed in}",
    "- name: Turn the page\n  android:\n    actions:\n    - {method: swipe, params: [0.5, 0.8, 0.5, 0.2]}\n"
    "    - {method: sleep, params: 0.5}",
    "- name: Go back\n  android:\n    actions:\n    - {method: back}\n    - {method: tap_xy, params: [0.5, 0.25]}",
]


def testcases(folder, files):
    """Writes testcases of 3 to 10 steps, two thirds of them in the short form."""
    for number in range(files):
        kind = SHORT if number % 3 else LONG
        steps = [kind[(number + step) % len(kind)] for step in range(3 + number % 8)]
        head = f"config: {{name: Case {number}, variables: {{user: 小明}}, tags: [smoke]}}\nteststeps:\n"
        (folder / f"case{number:04}.yaml").write_text(head + "\n".join(steps) + "\n")


def png(width, height):
    """A white picture."""
    def chunk(kind, data):
        return struct.pack(">I", len(data)) + kind + data + struct.pack(">I", zlib.crc32(kind + data))

    packer = zlib.compressobj(1)
    row = b"\0" + b"\xff" * (3 * width)
    data = b"".join(packer.compress(row) for _ in range(height)) + packer.flush()
    head = struct.pack(">IIBBBBB", width, height, 8, 2, 0, 0, 0)
    return b"\x89PNG\r\n\x1a\n" + chunk(b"IHDR", head) + chunk(b"IDAT", data) + chunk(b"IEND", b"")


def journal(folder, cases, steps, pictures):
    """Writes what a run with so many cases of so many steps leaves; a share of the steps has a picture and a tap."""
    (folder / "screenshots").mkdir(parents=True)
    picture = png(1080, 2400)
    for number in range(1, pictures + 1):
        (folder / f"screenshots/{number:04}.png").write_bytes(picture)
    every, count, taken = cases * steps // pictures, 0, 0
    with (folder / "journal.jsonl").open("w") as out:
        seq = 0

        def put(event, **fields):
            nonlocal seq
            seq += 1
            line = {"v": 1, "seq": seq, "at": "2026-11-22T10:00:01.204Z", "event": event, **fields}
            out.write(json.dumps(line, ensure_ascii=False, separators=(",", ":")) + "\n")

        put("run_started", uixt="0", paths=["testcases"], cases=cases)
        for number in range(cases):
            file = f"testcases/case{number}.yaml"
            case = f"{file}#0"
            put("case_started", case=case, name=f"Case {number}", file=file, steps=steps)
            for step in range(1, steps + 1):
                count += 1
                place = {"file": file, "line": step + 2, "column": 3}
                of = {"case": case, "step": step}
                name = f"tap_element \"Item {step}\""
                shown = {}
                if count % every == 0 and taken < pictures:
                    taken += 1
                    shown = {"screenshot": f"screenshots/{taken:04}.png", "mark": {"gesture": "tap", "x": 0.5, "y": 0.5}}
                put("step_started", **of, name=name, place=place)
                put("action_finished", **of, attempt=1, tool="tap_element", arguments={"text": f"Item {step}"},
                    outcome="passed", began="2026-11-22T10:00:01.204Z", elapsed_ms=120, message="Tapped at 0.50, 0.50",
                    place=place, **shown)
                put("step_finished", **of, name=name, place=place, outcome="passed", elapsed_ms=121)
            put("case_finished", case=case, outcome="passed", elapsed_ms=1000)
        put("run_finished", outcome="passed", elapsed_ms=100000)


# Figures


@group
def start(uixt, folder, table):
    """`uixt --version`."""
    run(uixt, "--version")
    walls = [run(uixt, "--version").wall for _ in range(200)]
    table.add("uixt --version, p50", calm(walls) * 1e3, "ms", 3)
    table.add("uixt --version, peak memory", peak_of_printing(uixt, "--version") / MIB, "MiB", 8)
    table.add("size of the program", os.path.getsize(uixt) / MIB, "MiB")


@group
def steps(uixt, folder, table):
    """Steps that do nothing, with journal and reports.

    A run of them keeps one processor busy and waits for nothing. So its budget is held against processor time, which others on
    the machine disturb less; on an idle one both are the same.
    """
    for count in (1, 1_000, 20_000):
        log_case(folder / f"log{count}.yaml", count)
    peaks = {}

    def one(count):
        reports = folder / "results"
        ran = run(uixt, "run", folder / f"log{count}.yaml", "--report-dir", reports)
        shutil.rmtree(reports)
        peaks[count] = ran.peak
        return ran

    for count, rounds in ((1_000, 15), (20_000, 7)):
        one(count)
        pairs = [(one(count), one(1)) for _ in range(rounds)]
        each = [(many.cpu - single.cpu) / count for many, single in pairs]
        walls = [(many.wall - single.wall) / count for many, single in pairs]
        table.add(f"a step that does nothing, of {count:,}", statistics.median(each) * 1e6, "µs", 20)
        table.add(f"a step that does nothing, of {count:,}, by the clock", statistics.median(walls) * 1e6, "µs")
    for count in (1, 1_000, 20_000):
        table.add(f"a run of {count:,} steps in one case, peak memory", peaks[count] / MIB, "MiB")
    check = run(uixt, "check", folder / "log20000.yaml").peak
    table.add("the same case of 20,000 steps only loaded, peak memory", check / MIB, "MiB")


@group
def dashboard(uixt, folder, table):
    """What a run costs more that is shown while it goes on."""
    os.environ["UIXT_DATA_DIR"] = str(folder / "data")
    for count in (1, 20_000):
        log_case(folder / f"log{count}.yaml", count)

    def one(count, *more):
        ran = run(uixt, "run", folder / f"log{count}.yaml", "--report-dir", folder / "results", *more)
        shutil.rmtree(folder / "results")
        return ran

    def costs(*more):
        many, single = one(20_000, *more), one(1, *more)
        return (many.cpu - single.cpu) / 20_000, (many.wall - single.wall) / 20_000

    pairs = [(costs("--dashboard"), costs()) for _ in range(9)]
    for at, (name, budget) in enumerate((("processor time", None), ("by the clock", 20))):
        more = statistics.median(shown[at] - bare[at] for shown, bare in pairs)
        table.add(f"a dashboard, for each step that does nothing, {name}", more * 1e6, "µs", budget)
    del os.environ["UIXT_DATA_DIR"]


@group
def pages(uixt, folder, table):
    """100 pages on one UI instance that changes 1,000 times a second."""
    load = pathlib.Path(uixt).parent / "examples" / "load"
    if not load.exists():
        print("pages: left out: cargo build --profile dist -p uixt-ui --example load makes what is needed")
        return
    printed = subprocess.run([load, "100", "1000", "20"], check=True, stdout=subprocess.PIPE, text=True).stdout
    figures = dict(line.split("\t") for line in printed.splitlines())
    table.add("a change is on 100 pages, median", float(figures["late, median ms"]), "ms")
    table.add("a change is on 100 pages, of 100 the 99th", float(figures["late, 99 % ms"]), "ms", 50)
    before, after = map(float, figures["memory before and after, MiB"].split())
    table.add("memory that 20 s of changes add", after - before, "MiB", 10)
    if figures["pages that end the same"] != "100":
        sys.exit(f"pages differ: {figures}")


@group
def cases(uixt, folder, table):
    """Memory must not grow with the number of cases beyond what the loaded cases take."""
    suite = folder / "suite"
    suite.mkdir()
    for number in range(200):
        log_case(suite / f"case{number:03}.yaml", 100)
    reports = folder / "results"
    ran = run(uixt, "run", suite, "--report-dir", reports)
    shutil.rmtree(reports)
    table.add("a run of 200 cases of 100 steps, each step", ran.cpu / 20_000 * 1e6, "µs", 20)
    table.add("a run of 200 cases of 100 steps, peak memory", ran.peak / MIB, "MiB")
    table.add("the same cases only loaded, peak memory", run(uixt, "check", suite).peak / MIB, "MiB")


@group
def reports(uixt, folder, table):
    """All reports of 10,000 steps with 1,000 pictures."""
    for name, cases_, steps_ in (("one case", 1, 10_000), ("100 cases", 100, 100)):
        results = folder / f"results-{cases_}"
        journal(results, cases_, steps_, 1_000)
        ran = [run(uixt, "report", results) for _ in range(5)]
        wall = calm([one.wall for one in ran])
        table.add(f"reports of 10,000 steps, 1,000 pictures, {name}", wall, "s", 1)
        table.add(f"reports of 10,000 steps, 1,000 pictures, {name}, memory", max(one.peak for one in ran) / MIB, "MiB", 30)


@group
def loading(uixt, folder, table):
    """`uixt check` of 1,000 testcases."""
    suite = folder / "suite"
    suite.mkdir()
    testcases(suite, 1_000)
    run(uixt, "check", suite)
    ran = [run(uixt, "check", suite) for _ in range(15)]
    table.add("uixt check, 1,000 testcases", calm([one.wall for one in ran]) * 1e3, "ms", 150)
    table.add("uixt check, 1,000 testcases, of processors", statistics.median(one.cpu for one in ran) * 1e3, "ms")
    table.add("uixt check, 1,000 testcases, peak memory", max(one.peak for one in ran) / MIB, "MiB")


# The commands that the tools send, so that what is subtracted is what the phone itself takes.
LOOK = "shell,v2,raw:dumpsys window displays | grep -E 'mDisplayId=|cur=|mCurrentRotation=|mAwake='"
TAP = "shell,v2,raw:input tap 540 1200"


@group
def taps(uixt, folder, table):
    """What uixt adds to the raw round trips of a tap. Python's own share is on both sides, larger on the raw one."""
    phone = Phone(uixt)
    mcp = Mcp(uixt, "--adb-server", phone.address).ready()
    pings = [seconds(mcp.ask, "ping") for _ in range(500)]

    def raw():
        phone.service(LOOK)
        phone.service(TAP)

    for tool, arguments in (("tap_xy", {"x": 0.5, "y": 0.5}), ("tap_abs_xy", {"x": 540, "y": 1200})):
        mcp.call(tool, **arguments)
        median, worst, plain = [], [], []
        for _ in range(5):
            pairs = [(seconds(lambda: mcp.call(tool, **arguments)), seconds(raw)) for _ in range(300)]
            ours, raws = zip(*pairs)
            median.append(statistics.median(ours) - statistics.median(raws))
            worst.append(percentile(ours, 99) - percentile(raws, 99))
            plain.append(statistics.median(raws))
        table.add(f"{tool}: raw round trips, p50", statistics.median(plain) * 1e3, "ms")
        table.add(f"{tool}: added by uixt, p50", statistics.median(median) * 1e3, "ms", 0.5)
        table.add(f"{tool}: added by uixt, p99", statistics.median(worst) * 1e3, "ms", 0.5)
    table.add("MCP ping, p50 (the client's own share is in it)", statistics.median(pings) * 1e3, "ms")
    table.add("MCP server after 3,000 calls, memory", of_process(mcp.process.pid, "VmRSS") / MIB, "MiB")
    mcp.close()
    phone.close()


@group
def mcp(uixt, folder, table):
    """An MCP server from its start to its list of tools."""
    walls = []
    for _ in range(60):
        begin = time.perf_counter()
        server = Mcp(uixt)
        walls.append(time.perf_counter() - begin)
        server.close()
    table.add("MCP: spawn to initialize answered, p50", calm(walls) * 1e3, "ms", 10)
    server = Mcp(uixt).ready()
    table.add("MCP server, memory", of_process(server.process.pid, "VmRSS") / MIB, "MiB")
    first = seconds(server.ask, "tools/list")
    line = server.ask("tools/list")
    count = len(json.loads(line)["result"]["tools"])
    table.add("MCP: first tools/list", first * 1e3, "ms")
    table.add(f"MCP: tools/list, {count} tools", len(line) / 1e3, "kB", 8.2 * max(count, 20) / 20)
    server.close()


def tokens(text):
    """A quarter of the ASCII bytes, rounded up, and one for each other character."""
    ascii_ = sum(character < "\x80" for character in text)
    return -(-ascii_ // 4) + len(text) - ascii_


@group
def snapshots(uixt, folder, table):
    """What an agent reads of a screen."""
    server = Mcp(uixt, "--device", "phone").ready()
    for name, package in (("Settings", "com.uixt.settings"), ("Shop, Log in", "com.uixt.shop")):
        server.call("app_launch", package_name=package)
        time.sleep(1)
        result = server.call("snapshot")["structuredContent"]
        table.add(f"snapshot of {name}", tokens(result["snapshot"]), "tokens", 200)
    server.close()


@group
def phone(uixt, folder, table):
    """The virtual phone itself."""
    starts = []
    for _ in range(10):
        begin = time.perf_counter()
        device = Phone(uixt)
        device.service("exec:screencap -p")
        starts.append(time.perf_counter() - begin)
        device.close()
    device = Phone(uixt)
    table.add("phone: start to first screenshot", statistics.median(starts) * 1e3, "ms")
    for name, service in (("screenshot", "exec:screencap -p"), ("dump", "exec:uiautomator dump /dev/tty")):
        took = [seconds(device.service, service) for _ in range(20)]
        table.add(f"phone: {name}", statistics.median(took) * 1e3, "ms")
    table.add("phone, memory", of_process(device.process.pid, "VmRSS") / MIB, "MiB")
    device.close()


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("uixt", help="the program to measure")
    parser.add_argument("groups", nargs="*", metavar="GROUP", help=f"what to measure; all by default: {', '.join(GROUPS)}")
    arguments = parser.parse_args()
    unknown = set(arguments.groups) - set(GROUPS)
    if unknown:
        parser.error(f"unknown group {', '.join(sorted(unknown))}; valid: {', '.join(GROUPS)}")
    uixt = os.path.abspath(arguments.uixt)
    for name in ("UIXT_DEVICE", "UIXT_ADB_SERVER"):
        os.environ.pop(name, None)
    table = Table()
    print(f"{'figure':<58} {'value':>10} {'unit':<6} {'budget':>7}  verdict")
    for name in arguments.groups or GROUPS:
        with tempfile.TemporaryDirectory(prefix="uixt-bench-") as folder:
            GROUPS[name](uixt, pathlib.Path(folder), table)
    print(f"load of the machine: {os.getloadavg()[0]:.1f} on {os.cpu_count()} processors")
    print(f"peaks below {floor() / MIB:.0f} MiB cannot be told apart, except those of --version and of servers")
    if table.missed:
        sys.exit(f"{table.missed} beyond {TOLERANCE} x their budget")


if __name__ == "__main__":
    main()
