"""Writes a Python wheel of the program: `wheel.py --binary FILE --share FOLDER --licences FOLDER --sbom FILE --version V --output FOLDER`.

A wheel is a zip file with a table of its files and their digests; nothing is compiled here.
"""

import argparse
import base64
import hashlib
import os
import time
import zipfile

import elf

HERE = os.path.dirname(os.path.abspath(__file__))
METADATA = """Metadata-Version: 2.4
Name: uixt
Version: {version}
Summary: UI tests in YAML on phones and in browsers, and the same actions for AI agents over MCP
License-Expression: MIT OR Apache-2.0
{licences}Keywords: testing,ui,android,browser,mcp,automation
Classifier: Environment :: Console
Classifier: Intended Audience :: Developers
Classifier: Operating System :: POSIX :: Linux
Classifier: Programming Language :: Rust
Classifier: Topic :: Software Development :: Testing
{urls}Requires-Python: >=3.8
Description-Content-Type: text/markdown

{readme}"""


def files_below(folder):
    for place, folders, names in os.walk(folder):
        folders.sort()
        for name in sorted(names):
            path = os.path.join(place, name)
            yield os.path.relpath(path, folder), path


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    for name in ("binary", "share", "licences", "sbom", "readme", "version", "output"):
        parser.add_argument(f"--{name}", required=True)
    parser.add_argument("--repository", default="")
    given = parser.parse_args()
    tag = f"py3-none-{elf.describe(given.binary)['wheel']}"
    moment = time.gmtime(max(int(os.environ.get("SOURCE_DATE_EPOCH", time.time())), 315532800))[:6]
    info, data = f"uixt-{given.version}.dist-info", f"uixt-{given.version}.data"
    path = os.path.join(given.output, f"uixt-{given.version}-{tag}.whl")
    record = []
    with zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED, compresslevel=9) as wheel:

        def add(name, content, mode=0o644):
            entry = zipfile.ZipInfo(name, moment)
            entry.compress_type = zipfile.ZIP_DEFLATED
            entry.external_attr = (0o100000 | mode) << 16
            wheel.writestr(entry, content)
            digest = base64.urlsafe_b64encode(hashlib.sha256(content).digest()).rstrip(b"=").decode()
            record.append(f"{name},sha256={digest},{len(content)}")

        def copy(name, source, mode=0o644):
            with open(source, "rb") as file:
                add(name, file.read(), mode)

        for name, source in files_below(os.path.join(HERE, "python")):
            if name.endswith(".py"):
                copy(name, source)
        copy(f"{data}/scripts/uixt", given.binary, 0o755)
        for name, source in files_below(given.share):
            copy(f"{data}/data/share/{name}", source)
        licences = sorted(os.listdir(given.licences))
        for name in licences:
            copy(f"{info}/licenses/{name}", os.path.join(given.licences, name))
        copy(f"{info}/sboms/uixt.cyclonedx.json", given.sbom)
        with open(given.readme, encoding="utf-8") as file:
            readme = file.read()
        urls = f"Project-URL: Repository, {given.repository}\n" if given.repository else ""
        named = "".join(f"License-File: {name}\n" for name in licences)
        add(f"{info}/METADATA", METADATA.format(version=given.version, licences=named, urls=urls, readme=readme).encode())
        add(f"{info}/WHEEL", f"Wheel-Version: 1.0\nGenerator: uixt\nRoot-Is-Purelib: false\nTag: {tag}\n".encode())
        record.append(f"{info}/RECORD,,")
        entry = zipfile.ZipInfo(f"{info}/RECORD", moment)
        entry.external_attr = 0o100644 << 16
        wheel.writestr(entry, "\n".join(record) + "\n")
    print(path)


if __name__ == "__main__":
    main()
