"""Writes what the program is made of: `crates.py --target TRIPLE --sbom FILE --licences FILE`, from `cargo metadata --locked`.

The bill of materials is CycloneDX 1.5. The licences are the texts that each crate ships, each text once.
"""

import argparse
import json
import os
import re
import subprocess
import sys
import time
import uuid

ROOT = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))
TEXTS = re.compile(r"^(licen[cs]e|copying|notice|copyright|unlicense|authors)", re.IGNORECASE)
# What the program holds beside crates: name, licence, a word on it, and its text in this repository where it has one of its own.
EMBEDDED = [
    ("Noto Sans SC, a subset of its letters", "OFL-1.1", "The virtual phone's font.", "crates/canvas/src/font/OFL.txt"),
    ("SQLite", "blessing", "In the public domain; comes with the crate libsqlite3-sys.", None),
    ("Rust's standard library", "MIT OR Apache-2.0", "Copyright of the Rust project's contributors.", None),
    ("LLVM's libunwind, and Zig's runtime", "Apache-2.0 WITH LLVM-exception AND MIT", "In binaries that were linked by Zig.", None),
]


def metadata(target):
    """Asks cargo for the crates of a target; they are fetched where they are not there."""
    command = ["cargo", "metadata", "--locked", "--format-version", "1", "--filter-platform", target]
    for offline in (["--offline"], []):
        told = subprocess.run(command + offline, cwd=ROOT, stdout=subprocess.PIPE, stderr=subprocess.PIPE)
        if told.returncode == 0:
            return json.loads(told.stdout)
    sys.exit(f"crates.py: cargo metadata failed: {told.stderr.decode().strip()}")


def in_program(meta):
    """Follows the dependencies of the program, without those of its tests; those that only build it are told apart."""
    nodes = {node["id"]: node for node in meta["resolve"]["nodes"]}
    kinds, waiting = {meta["resolve"]["root"]: "normal"}, [meta["resolve"]["root"]]
    links = {}
    while waiting:
        identity = waiting.pop()
        links[identity] = []
        for dependency in nodes[identity]["deps"]:
            of = {kind["kind"] or "normal" for kind in dependency["dep_kinds"]}
            if not of & {"normal", "build"}:
                continue
            links[identity].append(dependency["pkg"])
            kind = "normal" if "normal" in of and kinds[identity] == "normal" else "build"
            if dependency["pkg"] not in kinds or (kinds[dependency["pkg"]] == "build" and kind == "normal"):
                kinds[dependency["pkg"]] = kind
                waiting.append(dependency["pkg"])
    return kinds, links


def expression(package):
    """The licence as SPDX writes it; crates of old have a slash for `OR`."""
    return re.sub(r"\s*/\s*", " OR ", package["license"] or "NOASSERTION")


def checksums():
    with open(os.path.join(ROOT, "Cargo.lock"), encoding="utf-8") as file:
        blocks = file.read().split("[[package]]")
    found = {}
    for block in blocks:
        fields = dict(re.findall(r'^(name|version|checksum) = "(.*)"$', block, re.MULTILINE))
        if "checksum" in fields:
            found[fields["name"], fields["version"]] = fields["checksum"]
    return found


def sbom(packages, kinds, links, root, moment):
    sums = checksums()

    def reference(identity):
        package = packages[identity]
        return f"pkg:cargo/{package['name']}@{package['version']}"

    def component(identity):
        package = packages[identity]
        told = {
            "type": "application" if identity == root else "library",
            "bom-ref": reference(identity),
            "name": package["name"],
            "version": package["version"],
            "scope": "required" if kinds[identity] == "normal" else "excluded",
            "licenses": [{"expression": expression(package)}],
            "purl": reference(identity),
        }
        digest = sums.get((package["name"], package["version"]))
        if digest:
            told["hashes"] = [{"alg": "SHA-256", "content": digest}]
        if package.get("repository"):
            told["externalReferences"] = [{"type": "vcs", "url": package["repository"]}]
        return told

    ordered = sorted(kinds, key=reference)
    listing = "\n".join(reference(identity) + sums.get((packages[identity]["name"], packages[identity]["version"]), "") for identity in ordered)
    top = component(root)
    del top["scope"]
    others = [component(identity) for identity in ordered if identity != root]
    font, sqlite = EMBEDDED[0], EMBEDDED[1]
    for name, licence, what, _ in (font, sqlite):
        others.append({"type": "data" if name == font[0] else "library", "bom-ref": name, "name": name, "description": what,
                       "licenses": [{"license": {"id": licence}}]})
    return {
        "bomFormat": "CycloneDX",
        "specVersion": "1.5",
        "serialNumber": f"urn:uuid:{uuid.uuid5(uuid.NAMESPACE_URL, listing)}",
        "version": 1,
        "metadata": {"timestamp": moment, "component": top},
        "components": others,
        "dependencies": [{"ref": reference(identity), "dependsOn": sorted({reference(other) for other in links[identity]})} for identity in ordered],
    }


def texts(package):
    """The licence texts that a crate ships, at its top or in a folder of them."""
    folder = os.path.dirname(package["manifest_path"])
    found = []
    for place in (folder, os.path.join(folder, "LICENSES"), os.path.join(folder, "licenses")):
        if not os.path.isdir(place):
            continue
        for name in sorted(os.listdir(place)):
            path = os.path.join(place, name)
            if os.path.isfile(path) and (place != folder or TEXTS.match(name)) and os.path.getsize(path) < 200_000:
                with open(path, encoding="utf-8", errors="replace") as file:
                    found.append(file.read().replace("\r\n", "\n").strip("\n"))
    return found


def without_text(package):
    """What stands for a text that a crate declares and does not ship: its authors, and MIT's words where it is under MIT."""
    authors = ", ".join(re.sub(r"\s*<[^>]*>", "", author) for author in package["authors"]) or f"the authors of {package['name']}"
    if "MIT" not in expression(package):
        sys.exit(f"crates.py: {package['name']} ships no licence text, and {expression(package)} has none here: add it")
    with open(os.path.join(ROOT, "LICENSE-MIT"), encoding="utf-8") as file:
        words = file.read()
    return f"MIT License\n\nCopyright (c) {authors}\n\n{words[words.index('Permission is hereby granted'):]}".strip()


def licences(packages, kinds):
    crates = sorted((packages[i] for i, kind in kinds.items() if kind == "normal" and packages[i]["source"]), key=lambda p: (p["name"], p["version"]))
    lines = ["Licences of what uixt's program is made of", "", "uixt itself is under MIT or Apache-2.0, as you like.", "",
             "Source of a crate: https://crates.io/crates/NAME/VERSION. Crates under MPL-2.0 are used as they are there.", "", "Beside crates:", ""]
    lines += [f"- {name}: {licence}. {what}" for name, licence, what, _ in EMBEDDED]
    lines += ["", f"The {len(crates)} crates:", ""]
    lines += [f"- {package['name']} {package['version']}: {expression(package)}" for package in crates]
    by_text = {}
    for package in crates:
        for text in texts(package) or [without_text(package)]:
            key = " ".join(text.split()).lower()
            by_text.setdefault(key, (text, []))[1].append(package["name"])
    for name, _, _, path in EMBEDDED:
        if path:
            with open(os.path.join(ROOT, path), encoding="utf-8") as file:
                by_text[path] = (file.read().strip(), [name])
    for text, names in sorted(by_text.values(), key=lambda entry: (-len(entry[1]), entry[1])):
        lines += ["", "-" * 80, ", ".join(sorted(set(names))), "-" * 80, "", text]
    return "\n".join(lines) + "\n", len(crates), len(by_text)


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    for name in ("target", "sbom", "licences"):
        parser.add_argument(f"--{name}", required=True)
    given = parser.parse_args()
    meta = metadata(given.target)
    packages = {package["id"]: package for package in meta["packages"]}
    kinds, links = in_program(meta)
    moment = time.strftime("%Y-%m-%dT%H:%M:%SZ", time.gmtime(int(os.environ.get("SOURCE_DATE_EPOCH", time.time()))))
    with open(given.sbom, "w", encoding="utf-8") as file:
        json.dump(sbom(packages, kinds, links, meta["resolve"]["root"], moment), file, indent=1, ensure_ascii=False)
        file.write("\n")
    text, crates, count = licences(packages, kinds)
    with open(given.licences, "w", encoding="utf-8") as file:
        file.write(text)
    print(f"{len(kinds)} components in the SBOM; {crates} crates of others, {count} licence texts")


if __name__ == "__main__":
    main()
