"""Writes the man pages of a binary, one for each command, from its own help: `man.py BINARY FOLDER`."""

import os
import re
import subprocess
import sys
import time

ENTRY = re.compile(r"^ {2,6}(?=\S)")
EXIT_STATUS = """0  All cases passed, or were skipped for a reason.
1  A case failed, or what was asked does not hold.
2  A file or the call is wrong.
3  A device or a service failed.
130  It was interrupted."""


def help_of(binary, path):
    """Asks the program for a command's long help, without what this computer's settings add to it."""
    clean = {name: value for name, value in os.environ.items() if not name.startswith("UIXT_")}
    told = subprocess.run([binary, *path, "--help"], env=clean, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, check=True, timeout=60)
    return told.stdout.decode()


def paragraphs(lines):
    """Joins what was broken to fit a terminal; an item of a list stays a line of its own."""
    found, open_ = [], False
    for line in lines:
        text = line.strip()
        if not text:
            open_ = False
        elif open_ and not text.startswith("- "):
            found[-1] += " " + text
        else:
            found.append(text)
            open_ = True
    return found


def parse(text):
    """Splits a help text into what stands before the usage, the usage, sections of entries, and what follows them."""
    about, usage, sections, after = [], [], [], []
    part = about
    for line in text.rstrip().splitlines():
        if line.startswith("Usage:"):
            part = usage
            part.append(line[6:].strip())
        elif part is usage and line.startswith(" ") and not ENTRY.match(line):
            usage.append(line.strip())
        elif part is usage and line.startswith("       "):
            usage.append(line.strip())
        elif re.match(r"^[A-Z][^:.`]*:$", line) and part is not about:
            part = []
            sections.append((line[:-1], part))
        elif sections and part is not after and line and not line.startswith(" "):
            part = after
            part.append(line)
        else:
            part.append(line)
    return paragraphs(about), [line for line in usage if line], [(title, entries(lines)) for title, lines in sections], paragraphs(after)


def entries(lines):
    """Splits a section into its entries, each a term and the paragraphs that explain it."""
    found = []
    for line in lines:
        text = line.strip()
        # An explanation stands at column 10 or beyond; a term before it.
        if ENTRY.match(line) and not text.startswith("- "):
            term, _, rest = text.partition("  ")
            found.append((term, [rest.strip()] if rest.strip() else []))
        elif found:
            found[-1][1].append(line)
    return [(term, paragraphs(explained)) for term, explained in found]


def escape(text):
    text = text.replace("\\", "\\e").replace("-", "\\-").replace("'", "\\(aq").replace("^", "\\(ha").replace("~", "\\(ti")
    return "\\&" + text if text.startswith(".") else text


def prose(text):
    """Sets what stands in backticks in bold, and leaves hyphens of words as they are."""
    pieces = text.split("`")
    if len(pieces) % 2 == 0:
        return escape(text)
    return "".join(f"\\fB{escape(piece)}\\fR" if at % 2 else escape(piece) for at, piece in enumerate(pieces))


def term(text):
    """Sets options and commands in bold, and what stands for a value in italics."""
    pieces = re.split(r"([<\[][^\s,]*[>\]][^\s,]*)", text)
    return "".join(f"\\fI{escape(piece)}\\fR" if at % 2 else f"\\fB{escape(piece)}\\fR" for at, piece in enumerate(pieces) if piece)


def without_hints(explained):
    """Takes clap's hints in brackets from an explanation: its paragraphs, and the hints as sentences."""
    hints, kept = [], []
    words = {"env": "Environment", "default": "Default", "possible values": "Values", "aliases": "Also", "alias": "Also"}
    for paragraph in explained:
        for name, value in re.findall(r"\[(env|default|possible values|aliases|alias): ((?:[^\[\]]|\[[^\]]*\])*)\]", paragraph):
            value = value.rstrip("=") if name == "env" else value
            hints.append((words[name], value))
        rest = re.sub(r"\s*\[(env|default|possible values|aliases|alias): ((?:[^\[\]]|\[[^\]]*\])*)\]", "", paragraph).strip()
        if rest:
            kept.append(rest)
    return kept, hints


def page(path, parsed, children, date, version, variables):
    name = "-".join(path)
    about, usage, sections, after = parsed
    lines = [f'.TH {name.upper()} 1 "{date}" "uixt {version}" "User Commands"', ".nh", ".ad l", ".SH NAME"]
    lines.append(f"{escape(name)} \\- {prose(about[0] if about else name)}")
    lines.append(".SH SYNOPSIS")
    for line in usage:
        words = line.split(" ")
        count = next((at for at, word in enumerate(words) if at and not re.fullmatch(r"[a-z][a-z-]*", word)), len(words))
        words[0] = path[0]
        lines += [f"\\fB{escape(' '.join(words[:count]))}\\fR " + term(" ".join(words[count:])).replace("\\fB", "\\fR"), ".br"]
    lines.append(".SH DESCRIPTION")
    lines += [line for paragraph in about for line in (".PP", prose(paragraph))]
    for title, items in sections:
        lines.append(f".SH {escape(title.upper())}")
        for what, explained in items:
            kept, hints = without_hints(explained)
            child = children.get(what.split(" ")[0]) if title == "Commands" else None
            lines += [".TP", f"\\fB{escape('-'.join(child))}\\fR(1)" if child else term(what)]
            for at, paragraph in enumerate(kept):
                lines += ([".IP"] if at else []) + [prose(paragraph)]
            for at, (word, value) in enumerate(hints):
                lines += ([".br"] if kept or at else []) + [f"{word}: \\fB{escape(value)}\\fR."]
                if word == "Environment":
                    variables.setdefault(value, (what.split(", ")[-1].split(" ")[0].split("[")[0], set()))[1].add("-".join(path))
    return lines, after


def write(binary, folder):
    version = help_version(binary)
    date = time.strftime("%Y-%m-%d", time.gmtime(int(os.environ.get("SOURCE_DATE_EPOCH", time.time()))))
    os.makedirs(folder, exist_ok=True)
    pages, variables, waiting = {}, {}, [("uixt",)]
    while waiting:
        path = waiting.pop(0)
        parsed = parse(help_of(binary, path[1:]))
        commands = next((items for title, items in parsed[2] if title == "Commands"), [])
        children = {what.split(" ")[0]: (*path, what.split(" ")[0]) for what, _ in commands if what.split(" ")[0] != "help" or path == ("uixt",)}
        waiting += children.values()
        pages[path] = (parsed, children)
    if len(pages) < 10:
        sys.exit(f"man.py: only {len(pages)} commands were found in the help of {binary}")
    ready = {}
    for path, (parsed, children) in pages.items():
        ready[path] = (*page(path, parsed, children, date, version, variables), children)
    for path, (lines, after, children) in ready.items():
        if path == ("uixt",):
            lines += [".SH MANUAL"]
            lines += [line for paragraph in after for line in (".PP", prose(paragraph))]
            lines += [".SH ENVIRONMENT"]
            for name, (option, commands) in sorted(variables.items()):
                shown = sorted(commands)
                pages_of = ", ".join(f"\\fB{escape(page)}\\fR(1)" for page in shown[:4]) + (" and others" if len(shown) > 4 else "")
                stands = f"As \\fB{escape(option)}\\fR" if option.startswith("-") else f"As {term(option)}"
                lines += [".TP", f"\\fB{escape(name)}\\fR", f"{stands} of {pages_of}."]
            lines += [".SH EXAMPLES"]
            for command, what in (
                ("uixt init shop && uixt run shop", "Make a project, and run it on the virtual phone."),
                ("uixt run testcases/ --device android", "Run testcases on a phone that is connected."),
                ("uixt mcp-server --device browser", "Serve the tools to an AI agent."),
            ):
                lines += [".TP", f"\\fB{escape(command)}\\fR", what]
        else:
            lines += [line for paragraph in after for line in (".PP", prose(paragraph))]
        lines += [".SH EXIT STATUS"]
        for line in EXIT_STATUS.splitlines():
            code, _, meaning = line.partition("  ")
            lines += [".TP", f"\\fB{code}\\fR", meaning]
        beside = [path[:-1]] if len(path) > 1 else []
        beside += list(children.values())
        lines += [".SH SEE ALSO", ", ".join(f"\\fB{escape('-'.join(other))}\\fR(1)" for other in beside)]
        with open(os.path.join(folder, "-".join(path) + ".1"), "w", encoding="utf-8") as file:
            file.write("\n".join(lines) + "\n")
    print(f"{len(ready)} man pages")


def help_version(binary):
    told = subprocess.run([binary, "--version"], stdout=subprocess.PIPE, check=True, timeout=60).stdout.decode()
    return told.split()[-1]


if __name__ == "__main__":
    if len(sys.argv) != 3:
        sys.exit(__doc__)
    write(os.path.abspath(sys.argv[1]), sys.argv[2])
