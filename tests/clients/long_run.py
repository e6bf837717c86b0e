"""Watches a long run from outside: its memory, open files and threads must not grow with the steps that it has done.

Usage: long_run.py UIXT [STEPS], 100,000 by default: cases of 100 steps on a virtual phone, with a picture and a look at the screen in every second step. Prints
what was seen, and exits with 1 where something grew. Standard library only.
"""

import os
import pathlib
import statistics
import subprocess
import sys
import tempfile
import time

STEPS_OF_A_CASE = 100
# What may be added between the second quarter of a run and the last: room for allocators, and for what is kept of each case.
MOST_MEGABYTES = 16
MOST_FILES = 4
MOST_THREADS = 4


def write(folder, cases):
    rows = ", ".join(map(str, range(cases)))
    steps = "- home:\n- tap_element: {text: Settings}\n- assert_visible: {text: Battery}\n- back:\n"
    looks = "- log: a line\n- get_text: {text: Shop}\n"
    text = f"config: {{name: long, parameters: {{n: [{rows}]}}}}\nteststeps:\n{steps}- screenshot:\n"
    count = 5
    while count + 2 <= STEPS_OF_A_CASE:
        text += looks
        count += 2
    text += "- log: end\n" * (STEPS_OF_A_CASE - count)
    (folder / "long.yaml").write_text(text, encoding="utf-8")


def sample(pid):
    """Returns megabytes of memory, open files and threads of a process."""
    status = dict(line.split(":", 1) for line in pathlib.Path(f"/proc/{pid}/status").read_text().splitlines() if ":" in line)
    files = len(os.listdir(f"/proc/{pid}/fd"))
    return int(status["VmRSS"].split()[0]) / 1024, files, int(status["Threads"])


def finished(journal):
    """Counts steps that have ended, reading only what is new."""
    count = 0
    with open(journal, encoding="utf-8") as lines:
        while True:
            for line in lines:
                count += '"step_finished"' in line
            yield count


def main():
    uixt = pathlib.Path(sys.argv[1]).absolute()
    steps = int(sys.argv[2]) if len(sys.argv) > 2 else 100_000
    with tempfile.TemporaryDirectory() as home:
        folder = pathlib.Path(home)
        write(folder, steps // STEPS_OF_A_CASE)
        command = [uixt, "run", "long.yaml", "--device", "phone", "--report-dir", "out", "--no-history"]
        begin = time.time()
        process = subprocess.Popen(command, cwd=folder, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE)
        seen, counts = [], None
        while process.poll() is None:
            try:
                counts = counts or finished(folder / "out/journal.jsonl")
                seen.append((next(counts), *sample(process.pid)))
            except (OSError, KeyError):
                counts = None
            time.sleep(0.2)
        said = process.stderr.read().decode()
        if process.returncode != 0:
            sys.exit(f"exit code {process.returncode}:\n{said[-2000:]}")
        total = next(finished(folder / "out/journal.jsonl"))
        during = [of for of in seen if of[0] < total]
        early = [of for of in during if total * 0.25 <= of[0] < total * 0.5]
        late = [of for of in during if total * 0.75 <= of[0]]
        print(f"{total} steps in {time.time() - begin:.0f} s; at most {max(of[1] for of in seen):.0f} MB, with the reports")
        grew = False
        for name, at, most in (("MB of memory", 1, MOST_MEGABYTES), ("open files", 2, MOST_FILES), ("threads", 3, MOST_THREADS)):
            before, after = (statistics.median(of[at] for of in part) for part in (early, late))
            print(f"{name}: {before:.0f} in the second quarter, {after:.0f} in the last")
            grew |= after - before > most
        sys.exit(grew)


if __name__ == "__main__":
    main()
