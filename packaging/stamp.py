"""Fills a template: `stamp.py TEMPLATE OUTPUT NAME=VALUE…` puts each VALUE where @NAME@ stands, VERSION from Cargo.toml among them.

`stamp.py --version` prints the version. A name that stays unfilled is an error, so that nothing is published half stamped.
"""

import os
import re
import sys

ROOT = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))


def version():
    with open(os.path.join(ROOT, "Cargo.toml"), encoding="utf-8") as file:
        package = re.search(r"^\[workspace\.package\]$(.*?)^\[", file.read(), re.MULTILINE | re.DOTALL)
    found = package and re.search(r'^version = "([^"]+)"$', package.group(1), re.MULTILINE)
    if not found:
        sys.exit("stamp.py: Cargo.toml has no version under [workspace.package]")
    return found.group(1)


def stamp(template, output, values):
    with open(template, encoding="utf-8") as file:
        text = file.read()
    unknown = set()

    def fill(match):
        name = match.group(1)
        if name not in values:
            unknown.add(name)
        return values.get(name, "")

    text = re.sub(r"@([A-Z][A-Z0-9_]*)@", fill, text)
    if unknown:
        sys.exit(f"stamp.py: {template} wants {', '.join(sorted(unknown))}")
    os.makedirs(os.path.dirname(os.path.abspath(output)), exist_ok=True)
    with open(output, "w", encoding="utf-8") as file:
        file.write(text)


if __name__ == "__main__":
    if sys.argv[1:] == ["--version"]:
        print(version())
    elif len(sys.argv) > 2:
        stamp(sys.argv[1], sys.argv[2], {"VERSION": version(), **dict(pair.split("=", 1) for pair in sys.argv[3:])})
    else:
        sys.exit(__doc__)
