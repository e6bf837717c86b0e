"""Tells what a Linux binary needs, and what the packages of such a binary are called: `elf.py BINARY` prints JSON."""

import json
import re
import struct
import sys

MACHINES = {
    62: {"rust": "x86_64", "python": "x86_64", "node": "x64", "debian": "amd64", "docker": "amd64"},
    183: {"rust": "aarch64", "python": "aarch64", "node": "arm64", "debian": "arm64", "docker": "arm64"},
}
DT_NEEDED, DT_STRTAB, DT_VERNEED, DT_VERNEEDNUM = 1, 5, 0x6FFFFFFE, 0x6FFFFFFF
PT_LOAD, PT_DYNAMIC, PT_INTERP = 1, 2, 3


class NotSupported(Exception):
    """A file that no package is made of, with the reason."""


def read(path):
    """Reads the machine, the interpreter, the libraries and the symbol versions that a binary names."""
    with open(path, "rb") as file:
        data = file.read()
    if data[:4] != b"\x7fELF" or data[4:6] != b"\x02\x01":
        raise NotSupported(f"{path} is no 64-bit little-endian ELF file")
    machine = struct.unpack_from("<H", data, 18)[0]
    if machine not in MACHINES:
        raise NotSupported(f"{path} is for machine {machine}; packages are made for {[m['rust'] for m in MACHINES.values()]}")
    offset, size, count = *struct.unpack_from("<Q", data, 32), *struct.unpack_from("<HH", data, 54)
    headers = [struct.unpack_from("<IIQQQQ", data, offset + size * i) for i in range(count)]

    def text(at):
        return data[at:data.index(b"\0", at)].decode()

    def place(address):
        for kind, _, start, virtual, _, length in headers:
            if kind == PT_LOAD and virtual <= address < virtual + length:
                return address - virtual + start
        raise NotSupported(f"{path} has no bytes at {address:#x}")

    interpreter = next((text(header[2]) for header in headers if header[0] == PT_INTERP), None)
    dynamic = next((header for header in headers if header[0] == PT_DYNAMIC), None)
    entries = []
    if dynamic:
        for at in range(dynamic[2], dynamic[2] + dynamic[5], 16):
            tag, value = struct.unpack_from("<QQ", data, at)
            if tag == 0:
                break
            entries.append((tag, value))
    values = dict(entries)
    needed, versions = [], []
    if DT_STRTAB in values:
        strings = place(values[DT_STRTAB])
        needed = [text(strings + value) for tag, value in entries if tag == DT_NEEDED]
        at = place(values[DT_VERNEED]) if DT_VERNEED in values else 0
        for _ in range(values.get(DT_VERNEEDNUM, 0)):
            _, auxiliaries, _, first, following = struct.unpack_from("<HHIII", data, at)
            auxiliary = at + first
            for _ in range(auxiliaries):
                _, _, _, name, further = struct.unpack_from("<IHHII", data, auxiliary)
                versions.append(text(strings + name))
                auxiliary += further
            at += following
    return {"machine": MACHINES[machine], "interpreter": interpreter, "needed": needed, "versions": versions}


def describe(path):
    """Tells the names that pip, npm, Debian and Rust have for the systems on which a binary runs."""
    found = read(path)
    names = found["machine"]
    interpreter = found["interpreter"]
    if interpreter is None or "ld-musl" in interpreter:
        raise NotSupported(f"{path} is linked with {interpreter or 'nothing'}; packages are made of binaries for glibc")
    glibc = [tuple(map(int, v[6:].split("."))) for v in found["versions"] if re.fullmatch(r"GLIBC_[0-9.]+", v)]
    # Rust's own library needs 2.17, whatever the symbols say.
    major, minor = max(glibc + [(2, 17)])[:2]
    extra = [name for name in found["needed"] if not re.match(r"(libc|libm|libdl|libpthread|librt|libutil|ld-linux.*)\.so", name)]
    depends = [f"libc6 (>= {major}.{minor})"]
    if "libgcc_s.so.1" in extra:
        depends.append("libgcc-s1")
        extra.remove("libgcc_s.so.1")
    if extra:
        raise NotSupported(f"{path} needs {', '.join(extra)}, which not every system has")
    return {
        "glibc": f"{major}.{minor}",
        "target": f"{names['rust']}-unknown-linux-gnu",
        "wheel": f"manylinux_{major}_{minor}_{names['python']}",
        "node": names["node"],
        "debian": names["debian"],
        "docker": names["docker"],
        "depends": ", ".join(depends),
    }


if __name__ == "__main__":
    try:
        print(json.dumps(describe(sys.argv[1]), indent=2))
    except NotSupported as error:
        sys.exit(f"elf.py: {error}")
