"""Tells from a run's summary how many pages and seeds were solved, and how long it took: `count.py summary.json`."""

import json
import sys
from collections import defaultdict

with open(sys.argv[1]) as file:
    summary = json.load(file)
pages = defaultdict(list)
for case in summary["cases"]:
    pages[case["name"].split(",")[0]].append(case["outcome"] == "passed")
solved = [page for page, seeds in pages.items() if all(seeds)]
for page, seeds in pages.items():
    if not all(seeds):
        print(f"{page}: {sum(seeds)} of {len(seeds)} seeds")
print(
    f"pages solved: {len(solved)} of {len(pages)}",
    f"seeds solved: {sum(map(sum, pages.values()))} of {sum(map(len, pages.values()))}",
    f"wall time: {summary['elapsed_ms'] / 1000:.0f} s",
    sep="\n",
)
