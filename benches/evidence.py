"""What it costs to keep evidence of failures where nothing fails: runs with `--evidence failed` beside runs with `--evidence none`.

Both kinds run in turns, each pair in another order, so that what else the machine does falls on both. A run's time is what it says
itself, without the start of the process and the reports; the figure that counts is the ratio of the medians. Beside it stand the ratio of
the fastest runs and that of processor time, which others on the machine disturb less. Standard library only.
"""

import argparse
import json
import os
import pathlib
import resource
import shutil
import statistics
import subprocess
import sys
import tempfile

from measure import Table

# Pairs of runs; the first is to warm up, and does not count.
ROUNDS = 25
# How often a case does the same.
TIMES = 6
# How much longer a run may take that keeps evidence of failures, in percent.
BUDGET = 3
# How long a run may take, in seconds.
PATIENCE = 300

PHONE = f"""config: {{name: A passing case on the phone}}
teststeps:
- app_clear: com.uixt.shop
- app_launch: com.uixt.shop
- repeat: {TIMES}
  steps:
  - input: {{text: ming, into: User name}}
  - assert_visible: Sign in
  - tap_element: Remember me
"""
PAGE = f"""config: {{name: A passing case of a page}}
teststeps:
- open_url: /forms.html
- repeat: {TIMES}
  steps:
  - input: {{text: ming, into: Full name}}
  - assert_visible: Save
  - tap_element: Save
"""


def took(uixt, folder, case, device, evidence, number):
    """Returns the seconds that a run says it took, and those of processor time."""
    report = folder / f"{device}-{number}-{evidence}"
    command = [uixt, "run", case, "--device", device, "--evidence", evidence, "--no-history", "--report-dir", report]
    environment = {name: value for name, value in os.environ.items() if not name.startswith("UIXT_")}
    before = processor_time()
    done = subprocess.run(command, cwd=folder, env=environment, capture_output=True, timeout=PATIENCE, check=False)
    if done.returncode != 0:
        raise SystemExit(f"{' '.join(map(str, command))} exited with {done.returncode}:\n{done.stderr.decode()[-2000:]}")
    summary = json.loads((report / "summary.json").read_text(encoding="utf-8"))
    shutil.rmtree(report)
    return summary["elapsed_ms"] / 1000, processor_time() - before


def processor_time():
    """Returns the seconds of processor time of all processes that have ended, and that were waited for."""
    usage = resource.getrusage(resource.RUSAGE_CHILDREN)
    return usage.ru_utime + usage.ru_stime


def compare(table, uixt, folder, case, device):
    kinds = ["none", "failed"]
    times = {kind: [] for kind in kinds}
    for number in range(ROUNDS):
        for kind in kinds if number % 2 else reversed(kinds):
            times[kind].append(took(uixt, folder, case, device, kind, number))
    clock, work = ({kind: [run[at] for run in times[kind][1:]] for kind in kinds} for at in (0, 1))
    none, failed = (statistics.median(clock[kind]) for kind in kinds)
    table.add(f"a passing case on {device}, without evidence", none, "s")
    table.add("the same, with evidence of failures", failed, "s")
    table.add("what that adds", (failed / none - 1) * 100, "%", BUDGET)
    table.add("by the fastest runs", (min(clock["failed"]) / min(clock["none"]) - 1) * 100, "%")
    table.add("by processor time", (statistics.median(work["failed"]) / statistics.median(work["none"]) - 1) * 100, "%")


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("uixt", type=pathlib.Path)
    uixt = parser.parse_args().uixt.absolute()
    site = pathlib.Path(__file__).parent.parent / "tests" / "site"
    table = Table()
    with tempfile.TemporaryDirectory() as home:
        folder = pathlib.Path(home)
        shutil.copytree(site, folder / "site")
        (folder / "uixt.yaml").write_text("serve: site\n", encoding="utf-8")
        (folder / "phone.yaml").write_text(PHONE, encoding="utf-8")
        (folder / "page.yaml").write_text(PAGE, encoding="utf-8")
        compare(table, uixt, folder, "phone.yaml", "phone")
        if any(shutil.which(name) for name in ("chromium", "google-chrome", "chromium-browser")):
            compare(table, uixt, folder, "page.yaml", "browser")
        else:
            print("benches/evidence.py: left out: pages, since there is no Chromium", file=sys.stderr)
    sys.exit(table.missed > 0)


if __name__ == "__main__":
    main()
