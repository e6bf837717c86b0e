"""A call from the shell over a session: whole processes, from their start to their end, beside agent-browser's.

What is measured is what a session adds to its tool: `log` does nothing on a device. agent-browser, pinned, comes from npm into
target/session-peers, and is left out, with a word, where it or Chromium is not there. The ways are measured in turns, and medians are
kept. Standard library only.
"""

import argparse
import os
import pathlib
import platform
import shutil
import statistics
import subprocess
import sys
import tempfile
import time

from measure import Table

MS = 1e3
AGENT_BROWSER = "agent-browser@0.41.2"
MACHINES = {"x86_64": "x64", "aarch64": "arm64"}
# The most that a call may cost beside its tool.
BUDGET = 10
# How long a process may take, in seconds; the first one starts a browser.
PATIENCE = 60
PAGE = """<!doctype html><html lang="en"><meta charset="utf-8"><title>Log in</title><h1>Log in</h1>
<input aria-label="User name"><input type="password" aria-label="Password"><button type="button">Sign in</button></html>"""


class Gone(Exception):
    """A process that failed, or took too long."""


class Shell:
    """Starts processes in a folder, as a shell does."""

    def __init__(self, home):
        self.home = home
        own = ("UIXT_SESSION", "UIXT_DEVICE", "UIXT_ADB_SERVER")
        self.environment = {name: value for name, value in os.environ.items() if name not in own}
        (home / "run").mkdir(mode=0o700)
        self.environment |= {"XDG_RUNTIME_DIR": str(home / "run"), "HOME": str(home)}

    def run(self, *command):
        """Returns the seconds that a process takes."""
        begin = time.perf_counter()
        try:
            done = subprocess.run(
                [str(word) for word in command], cwd=self.home, env=self.environment, stdin=subprocess.DEVNULL,
                stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL, check=False, timeout=PATIENCE,
            )
        except subprocess.TimeoutExpired as error:
            raise Gone(f"no end within {PATIENCE} s") from error
        if done.returncode != 0:
            raise Gone(f"`{' '.join(map(str, command[1:]))}` ended with {done.returncode}")
        return time.perf_counter() - begin


def race(shell, ways, rounds):
    """Runs the ways in turns; returns the median of each in milliseconds."""
    took = {name: [] for name in ways}
    for turn in range(rounds + 1):
        for name, command in ways.items():
            seconds = shell.run(*command)
            # The first turn warms the machine's memory of files.
            if turn > 0:
                took[name].append(seconds * MS)
    return {name: statistics.median(times) for name, times in took.items()}


def on_the_phone(uixt, shell, rounds, table):
    shell.run(uixt, "session", "start", "--device", "phone")
    try:
        found = race(shell, {
            "the program alone (--version)": [uixt, "--version"],
            "session: log": [uixt, "call", "log", "x"],
            "session: get_screen_size": [uixt, "call", "get_screen_size"],
            "session: snapshot": [uixt, "call", "snapshot"],
            "without a session: get_screen_size": [uixt, "call", "get_screen_size", "--device", "phone"],
        }, rounds)
    finally:
        shell.run(uixt, "session", "stop")
    for name, took in found.items():
        table.add(f"phone, {name}", took, "ms", BUDGET if name == "session: log" else None)


def install(folder):
    """Installs agent-browser; returns why it could not be."""
    if (folder / "node_modules/.bin/agent-browser").exists():
        return None
    if not shutil.which("npm"):
        return "there is no npm"
    print(f"installing from npm: {AGENT_BROWSER}", file=sys.stderr)
    command = ["npm", "install", "--prefix", str(folder), "--no-package-lock", "--no-audit", "--no-fund", AGENT_BROWSER]
    done = subprocess.run(command, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL, check=False)
    return None if done.returncode == 0 else "npm could not install it"


def native(folder):
    """Returns its program, rather than the script of Node that starts it, where the machine has one."""
    found = folder / f"node_modules/agent-browser/bin/agent-browser-linux-{MACHINES.get(platform.machine(), 'none')}"
    return found if os.access(found, os.X_OK) else folder / "node_modules/.bin/agent-browser"


def in_the_browser(uixt, shell, folder, rounds, table):
    browser = next(filter(None, map(shutil.which, ("chromium", "chromium-browser", "google-chrome"))), None)
    if not browser:
        print("skipped: pages, since there is no Chromium")
        return
    page = shell.home / "page.html"
    page.write_text(PAGE)
    shell.environment |= {"UIXT_BROWSER": browser, "AGENT_BROWSER_EXECUTABLE_PATH": browser}
    if os.geteuid() == 0:
        shell.environment["AGENT_BROWSER_ARGS"] = "--no-sandbox"
    uixt_call, other = [uixt, "call"], None
    ways = {"uixt: url": [*uixt_call, "browser_get_current_url"], "uixt: snapshot": [*uixt_call, "snapshot"]}
    shell.run(uixt, "session", "start", "--device", "browser")
    try:
        shell.run(*uixt_call, "open_url", page.as_uri())
        missing = install(folder)
        if not missing:
            other = native(folder)
            try:
                shell.run(other, "open", page.as_uri())
                ways |= {"agent-browser: url": [other, "get", "url"], "agent-browser: snapshot": [other, "snapshot"]}
            except Gone as error:
                missing = str(error)
        if missing:
            print(f"skipped: agent-browser, since {missing}")
        for name, took in race(shell, ways, rounds).items():
            table.add(f"page, {name}", took, "ms")
    finally:
        shell.run(uixt, "session", "stop")
        if other:
            subprocess.run([other, "close"], env=shell.environment, stdout=subprocess.DEVNULL, check=False)


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("uixt", type=pathlib.Path)
    parser.add_argument("--rounds", type=int, default=50)
    parser.add_argument("--folder", type=pathlib.Path, default=pathlib.Path("target/session-peers"), help="where agent-browser is installed")
    arguments = parser.parse_args()
    uixt, folder = arguments.uixt.resolve(), arguments.folder.resolve()
    table = Table()
    with tempfile.TemporaryDirectory() as home:
        shell = Shell(pathlib.Path(home))
        try:
            on_the_phone(uixt, shell, arguments.rounds, table)
            in_the_browser(uixt, shell, folder, arguments.rounds, table)
        except Gone as error:
            sys.exit(str(error))
    return 1 if table.missed else 0


if __name__ == "__main__":
    sys.exit(main())
