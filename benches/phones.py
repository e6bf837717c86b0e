"""Phones by a server of others, WebDriverAgent or hdc: what the driver adds to its own answers, and eight virtual phones at once.

The driver's part is measured by examples/cost.rs of its crate against a server that answers at once. Standard library only.
"""

import argparse
import json
import os
import pathlib
import subprocess
import sys
import tempfile

from measure import Table

PHONES = 8
# How long a process may take, in seconds.
PATIENCE = 300
# Milliseconds that a touch may add at the 99th percentile, and a look at 400 elements.
TOUCH, LOOK = 0.5, 3
CASES = ["shop", "shop_purchase.yaml"]


def cost(table, program):
    done = subprocess.run([program], capture_output=True, check=True, text=True, timeout=PATIENCE)
    figures = {name: float(figure) for name, figure in (line.split("\t") for line in done.stdout.splitlines())}
    table.add("a tap, with the server's answer, median", figures["tap_median_ms"], "ms")
    table.add("what the driver adds to it, p99", figures["tap_p99_added_ms"], "ms", TOUCH)
    table.add("a look at 400 elements, with the server's answer, median", figures["look_median_ms"], "ms")
    table.add("what the driver adds to it, median", figures["look_median_added_ms"], "ms", LOOK)
    table.add("what the driver adds to it, p99", figures["look_p99_added_ms"], "ms")


def at_once(table, uixt, device):
    """Runs the same cases on one phone and on several."""
    testcases = pathlib.Path(__file__).absolute().parent.parent / "testcases"
    environment = {name: value for name, value in os.environ.items() if not name.startswith("UIXT_")}
    with tempfile.TemporaryDirectory() as home:
        for count in (1, PHONES):
            report = pathlib.Path(home) / str(count)
            command = [uixt, "run", *CASES, "--device", device, "-j", str(count), "--report-dir", report, "--no-history"]
            done = subprocess.run(
                command, cwd=testcases, env=environment, capture_output=True, timeout=PATIENCE, check=False
            )
            if done.returncode != 0:
                sys.exit(f"{' '.join(map(str, command))} exited with {done.returncode}:\n{done.stderr.decode()[-2000:]}")
            summary = json.loads((report / "summary.json").read_text(encoding="utf-8"))
            devices = {case["device"]["serial"] for case in summary["cases"]}
            table.add(f"the Shop's cases on {len(devices)} of {count} of {device}", summary["elapsed_ms"] / 1000, "s")


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("uixt", type=pathlib.Path)
    parser.add_argument("device", choices=["iphone", "harmony-phone"])
    parser.add_argument("--cost", type=pathlib.Path, required=True, help="examples/cost.rs of the driver's crate as a program")
    arguments = parser.parse_args()
    table = Table()
    cost(table, arguments.cost)
    at_once(table, arguments.uixt.absolute(), arguments.device)
    sys.exit(table.missed > 0)


if __name__ == "__main__":
    main()
