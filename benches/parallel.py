"""Many cases at once: how near a run comes to the time that its cases alone would take, and what each further device costs in memory.

- 64 virtual phones in one process, 512 cases of skewed durations that touch the phone and then wait
- four processes that share a queue in a real Redis, as four machines would, beside four static parts of the same cases
- pabot and `uixt run -j` on the same cases that do nothing, where pip can install pabot

The ideal is the end of the last wait where each device takes the longest one left and nothing else costs time. Standard library only.
"""

import argparse
import heapq
import json
import os
import pathlib
import random
import resource
import shutil
import socket
import subprocess
import sys
import tempfile
import time

from measure import Table

PHONES = 64
CASES = 512
HOSTS = 4
OF_HOSTS = 96
NOTHINGS = 200
# How long a process may take, in seconds.
PATIENCE = 300


def waits(count, seed):
    """Returns skewed durations in seconds: most are short, some take ten times as long."""
    chance = random.Random(seed)
    return [round(min(2.0, max(0.1, chance.lognormvariate(-1.2, 0.8))), 2) for _ in range(count)]


def ideal(durations, devices):
    """Returns when the last of these waits ends, the longest first on whichever device is free."""
    ends = [0.0] * devices
    for duration in sorted(durations, reverse=True):
        heapq.heappush(ends, heapq.heappop(ends) + duration)
    return max(ends)


def write(folder, durations, steps):
    rows = ", ".join(map(str, durations))
    text = f"config: {{name: waits $wait, parameters: {{wait: [{rows}]}}}}\nteststeps:\n{steps}"
    (folder / "cases.yaml").write_text(text, encoding="utf-8")


def run(*command, cwd):
    """Returns the seconds that a process takes and the most memory that it had, in MB."""
    environment = {name: value for name, value in os.environ.items() if not name.startswith("UIXT_")}
    begin = time.perf_counter()
    process = subprocess.Popen(command, cwd=cwd, env=environment, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE)
    peak = 0
    said = b""
    while process.poll() is None:
        try:
            status = pathlib.Path(f"/proc/{process.pid}/status").read_text(encoding="utf-8")
            peak = max([peak] + [int(line.split()[1]) for line in status.splitlines() if line.startswith("VmHWM")])
        except OSError:
            pass
        if time.perf_counter() - begin > PATIENCE:
            process.kill()
            raise SystemExit(f"{command[0]} did not end within {PATIENCE} s")
        time.sleep(0.02)
    took = time.perf_counter() - begin
    said = process.stderr.read()
    if process.returncode != 0:
        raise SystemExit(f"{' '.join(map(str, command))} exited with {process.returncode}:\n{said.decode()[-2000:]}")
    return took, peak / 1024


def elapsed(folder):
    """Returns what the run itself says that it took, in seconds: without the start of the process and the reports."""
    return json.loads((folder / "summary.json").read_text(encoding="utf-8"))["elapsed_ms"] / 1000


def phones(table, uixt, home):
    folder = home / "phones"
    folder.mkdir()
    durations = waits(CASES, 1)
    write(folder, durations, "- home:\n- sleep: $wait\n")
    # A project has a history: in its second run the longest cases begin first.
    (folder / "uixt.yaml").write_text("device: phone\n", encoding="utf-8")
    command = (uixt, "run", "cases.yaml", "-j", str(PHONES), "--screenshots", "never", "--report-dir")
    run(*command, "first", cwd=folder)
    _, memory = run(*command, "second", cwd=folder)
    best = ideal(durations, PHONES)
    table.add(f"{PHONES} virtual phones, {CASES} cases: times the ideal", elapsed(folder / "second") / best, "x", 1 / 0.95)
    table.add("the same where nothing is known of the cases", elapsed(folder / "first") / best, "x")
    write(folder, durations[:1], "- home:\n- sleep: $wait\n")
    _, alone = run(uixt, "run", "cases.yaml", "--report-dir", "one", cwd=folder)
    table.add(f"memory of {PHONES} phones beyond one", memory - alone, "MB", 60)


def free_port():
    with socket.socket() as listener:
        listener.bind(("127.0.0.1", 0))
        return listener.getsockname()[1]


def hosts(table, uixt, home):
    server = shutil.which("redis-server")
    if not server:
        print("benches/parallel.py: left out: a queue, since there is no redis-server", file=sys.stderr)
        return
    folder = home / "hosts"
    folder.mkdir()
    durations = waits(OF_HOSTS, 2)
    write(folder, durations, "- sleep: $wait\n")
    port = free_port()
    redis = subprocess.Popen([server, "--port", str(port), "--bind", "127.0.0.1", "--save", ""], stdout=subprocess.DEVNULL, cwd=folder)
    try:
        for _ in range(500):
            with socket.socket() as probe:
                if probe.connect_ex(("127.0.0.1", port)) == 0:
                    break
            time.sleep(0.01)
        best = ideal(durations, HOSTS)
        shared = together(uixt, folder, "queue", lambda host: ("--queue", f"redis://127.0.0.1:{port}/bench", "--queue-host", f"host{host}"))
        table.add(f"{HOSTS} hosts on one Redis, {OF_HOSTS} cases: times the ideal", shared / best, "x", 1 / 0.92)
        parts = together(uixt, folder, "part", lambda host: ("--shard", f"{host}/{HOSTS}"))
        table.add("the same as static parts", parts / best, "x")
    finally:
        redis.terminate()
        redis.wait()


def together(uixt, folder, name, options):
    """Returns the seconds from the first case's beginning to the last one's end."""
    command = lambda host: [uixt, "run", "cases.yaml", "--no-history", "--report-dir", f"{name}{host}", *options(host)]
    started = [subprocess.Popen(command(host), cwd=folder, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL) for host in range(1, HOSTS + 1)]
    codes = [process.wait(PATIENCE) for process in started]
    if any(codes):
        raise SystemExit(f"{name}: exit codes {codes}")
    spans = []
    for host in range(1, HOSTS + 1):
        for line in (folder / f"{name}{host}" / "journal.jsonl").read_text(encoding="utf-8").splitlines():
            entry = json.loads(line)
            if entry["event"] in ("case_started", "case_finished"):
                spans.append(time_of(entry["at"]))
    return max(spans) - min(spans)


def time_of(stamp):
    import datetime

    return datetime.datetime.fromisoformat(stamp.replace("Z", "+00:00")).timestamp()


def pabot(table, uixt, home):
    folder = home / "pabot"
    folder.mkdir()
    write(folder, list(range(NOTHINGS)), "- log: $wait\n")
    took, _ = run(uixt, "run", "cases.yaml", "-j", "2", "--no-history", "--report-dir", "r", cwd=folder)
    table.add(f"{NOTHINGS} cases that do nothing, two at a time: uixt", took, "s")
    venv = pathlib.Path("target/pabot")
    program = (venv / "bin/pabot").absolute()
    if not program.exists():
        try:
            subprocess.run([sys.executable, "-m", "venv", venv], check=True, timeout=60)
            subprocess.run([venv / "bin/pip", "install", "-q", "--disable-pip-version-check", "robotframework-pabot==5.2.2"], check=True, timeout=120)
        except (OSError, subprocess.SubprocessError) as error:
            print(f"benches/parallel.py: left out: pabot, which pip could not install: {error}", file=sys.stderr)
            shutil.rmtree(venv, ignore_errors=True)
            return
    cases = "".join(f"Case {number}\n    Log    {number}\n" for number in range(NOTHINGS))
    (folder / "cases.robot").write_text("*** Test Cases ***\n" + cases, encoding="utf-8")
    environment = os.environ | {"PATH": f"{program.parent}:{os.environ['PATH']}"}
    begin = time.perf_counter()
    command = [program, "--processes", "2", "--testlevelsplit", "--outputdir", "out", "cases.robot"]
    subprocess.run(command, cwd=folder, env=environment, check=True, timeout=PATIENCE, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    table.add("the same: pabot, each test by itself", time.perf_counter() - begin, "s")


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("uixt", type=pathlib.Path)
    uixt = parser.parse_args().uixt.absolute()
    # Each phone has a few sockets.
    soft, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
    resource.setrlimit(resource.RLIMIT_NOFILE, (min(hard, 65536), hard))
    table = Table()
    with tempfile.TemporaryDirectory() as home:
        for group in (phones, hosts, pabot):
            group(table, uixt, pathlib.Path(home))
    sys.exit(table.missed > 0)


if __name__ == "__main__":
    main()
