"""Drawn screens -> a table of what uixt, tesseract and rapidocr read of them, each figure beside its goal.

Draws the set of tests/drawn, has every engine read the same files in one run, and compares with what was drawn:

- exact: a line that was read is the label, but for what uixt's tools hold to be the same (width, spaces, some capitals, dots);
- strict: the same, to the letter, but for spaces at the ends;
- found: at least half of the label's place is covered by lines that were read;
- held: the label's text stands in one of those lines, whatever else does;
- invented: lines that were read where no label stands, and how many of them on pictures without any text;
- s of cpu: of all processors together, which others on the machine disturb less than the clock.

What an engine is unsure of does not count: below 0.6 for uixt, as in its tools, and what rapidocr leaves out by itself; tesseract says no
such limit. uixt and tesseract run once for each screen, models loaded each time; rapidocr runs once, and only its reading is timed.
Where `--speed` names the program of crates/ocr/examples/speed.rs, its figures are held to their budgets. Standard library only; tesseract
and fonts are Debian's, rapidocr and more fonts are installed into the folder that `--folder` names.
"""

import argparse
import collections
import json
import os
import pathlib
import shutil
import subprocess
import sys
import time

from measure import MIB, Table

HERE = pathlib.Path(__file__).resolve().parent
sys.path.insert(0, str(HERE.parent / "tests/drawn"))
import draw  # noqa: E402

RAPIDOCR = "rapidocr-onnxruntime==1.4.4"
TESSERACT = ["tesseract-ocr", "tesseract-ocr-chi-sim"]
# The fonts of the set, by a family of each.
FONTS = {
    "Noto Sans CJK SC": "fonts-noto-cjk", "WenQuanYi Micro Hei": "fonts-wqy-microhei", "WenQuanYi Zen Hei": "fonts-wqy-zenhei",
    "Roboto": "fonts-roboto", "DejaVu Sans": "fonts-dejavu-core", "Liberation Sans": "fonts-liberation", "AR PL UMing CN": "fonts-arphic-uming",
}
# Below this, a line does not count in uixt's tools.
CONFIDENCE = 0.6
# In percent of the labels, and in lines on pictures without any.
EXACT, FOUND, INVENTED = 97, 99, 0
# What speed.rs tells, and its budget.
BUDGETS = {
    "models loaded, ms": None, "16 lines, cold, ms": 400, "16 lines, unchanged, ms": 1, "16 lines, 2 changed, ms": 150,
    "16 lines, 4 changed, ms": 150, "16 lines, peak memory, MiB": 150, "200 lines, cold, ms": 5000, "200 lines, peak memory, MiB": 150,
}

Line = collections.namedtuple("Line", "text place")
Engine = collections.namedtuple("Engine", "read seconds processors peak")
Score = collections.namedtuple("Score", "labels exact strict found held invented bare missed")


# What is installed


def install_faces(folder):
    """Returns the folder of npm's fonts, or nothing."""
    wanted = (HERE.parent / "tests/drawn/fonts.txt").read_text().split()
    faces = folder / "fonts"
    done = faces / "installed.txt"
    if done.is_file() and done.read_text().split() == wanted:
        return faces
    if not shutil.which("npm"):
        print("left out: fonts of npm, which is not there")
        return None
    faces.mkdir(parents=True, exist_ok=True)
    flags = ["--ignore-scripts", "--no-package-lock", "--no-audit", "--no-fund", "--loglevel", "error"]
    ran = subprocess.run(["npm", "install", "--prefix", faces, *flags, *wanted], stdout=sys.stderr, check=False)
    if ran.returncode != 0:
        print("left out: fonts of npm, which could not install them")
        return None
    done.write_text("\n".join(wanted))
    return faces


def apt(packages):
    """Installs Debian's packages where that is possible."""
    if packages and os.geteuid() == 0 and shutil.which("apt-get"):
        quiet = {"stdout": sys.stderr, "check": False, "env": {**os.environ, "DEBIAN_FRONTEND": "noninteractive"}}
        subprocess.run(["apt-get", "update", "-qq"], **quiet)
        subprocess.run(["apt-get", "install", "-y", "-qq", "--no-install-recommends", *packages], **quiet)


def install_fonts():
    """Installs the fonts of the set that are not there; says which are left out."""
    def missing():
        known = draw.families()
        return [package for family, package in FONTS.items() if family not in known]

    apt(missing())
    if missing():
        print(f"left out: {' '.join(missing())}")


def install_tesseract():
    """Tells whether tesseract with its Chinese is there; installs it where that is possible."""
    def is_there():
        if not shutil.which("tesseract"):
            return False
        known = subprocess.run(["tesseract", "--list-langs"], capture_output=True, text=True, check=False)
        return "chi_sim" in known.stdout + known.stderr

    if not is_there():
        apt(TESSERACT)
    return is_there()


def install_rapidocr(folder):
    """Returns a Python that has rapidocr, or nothing."""
    venv = folder / "venv"
    python, done = venv / "bin/python", venv / "installed.txt"
    if done.is_file() and done.read_text() == RAPIDOCR:
        return python
    made = subprocess.run([sys.executable, "-m", "venv", "--clear", venv], stdout=sys.stderr, check=False)
    install = [python, "-m", "pip", "install", "-q", "--disable-pip-version-check", RAPIDOCR]
    if made.returncode != 0 or subprocess.run(install, stdout=sys.stderr, check=False).returncode != 0:
        return None
    done.write_text(RAPIDOCR)
    return python


# Engines: files -> their lines


def lines_of_uixt(printed):
    known = [line for line in json.loads(printed) if line["confidence"] >= CONFIDENCE]
    return [Line(line["text"], [line[side] for side in ("left", "top", "right", "bottom")]) for line in known]


def lines_of_tesseract(printed):
    """The words of a line, with spaces between them, which Chinese has none of."""
    words = collections.defaultdict(list)
    for row in printed.splitlines()[1:]:
        level, *where, left, top, width, height, _, text = row.split("\t")
        if level == "5" and text.strip():
            place = [int(left), int(top), int(left) + int(width), int(top) + int(height)]
            words[tuple(where[:4])].append(Line(text.strip(), place))
    return [Line(" ".join(word.text for word in line), around([word.place for word in line])) for line in words.values()]


def around(places):
    left, top, right, bottom = zip(*places)
    return [min(left), min(top), max(right), max(bottom)]


def by_process(files, command, lines):
    """Reads each file by a process of its own."""
    read, seconds, processors, peak = {}, [], [], 0
    for file in files:
        begin = time.perf_counter()
        process = subprocess.Popen(command(file), stdout=subprocess.PIPE, stderr=subprocess.DEVNULL)
        printed = process.stdout.read().decode()
        _, status, usage = os.wait4(process.pid, 0)
        seconds.append(time.perf_counter() - begin)
        process.stdout.close()
        process.returncode = os.waitstatus_to_exitcode(status)
        if process.returncode != 0:
            sys.exit(f"`{' '.join(map(str, command(file)))}` ended with {process.returncode}")
        processors.append(usage.ru_utime + usage.ru_stime)
        peak = max(peak, usage.ru_maxrss * 1024)
        read[file.name] = lines(printed)
    return Engine(read, seconds, processors, peak)


def by_uixt(uixt, files):
    return by_process(files, lambda file: [uixt, "ocr", "--json", file], lines_of_uixt)


def by_tesseract(files):
    # "Sparse text", in which it reads screens best: a single block (6) joins the texts of a row.
    command = lambda file: ["tesseract", file, "-", "--psm", "11", "-l", "chi_sim+eng", "tsv"]  # noqa: E731
    return by_process(files, command, lines_of_tesseract)


def by_rapidocr(python, files):
    command = [python, "-B", HERE / "ocr/rapidocr_lines.py", *files]
    process = subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL)
    rows = [json.loads(line) for line in process.stdout]
    _, status, usage = os.wait4(process.pid, 0)
    process.returncode = os.waitstatus_to_exitcode(status)
    if process.returncode != 0:
        print(f"left out: rapidocr, which ended with {process.returncode}")
        return None
    read = {row["file"]: [Line(text, place) for text, place in row["lines"]] for row in rows}
    seconds, processors = ([row[kind] for row in rows] for kind in ("seconds", "processors"))
    return Engine(read, seconds, processors, usage.ru_maxrss * 1024)


# What is right


ALIKE = str.maketrans({
    **{chr(wide): chr(wide - 0xFEE0) for wide in range(0xFF01, 0xFF5F)},
    "×": "x", "✕": "x", "…": ".", "。": ".", "、": ",", "“": '"', "”": '"', "‘": "'", "’": "'", "—": "-", "–": "-", "￥": "¥",
})
CAPITALS = str.maketrans("COSVWXZ", "cosvwxz")


def folded(text):
    """What is the same for uixt's tools: `folded` in crates/locate/src/pixel_elements.rs."""
    text = "".join(text.split()).translate(ALIKE).translate(CAPITALS)
    while ".." in text:
        text = text.replace("..", ".")
    return text


def shared(one, other):
    """The area that two places share, in pixels."""
    wide = min(one[2], other[2]) - max(one[0], other[0])
    high = min(one[3], other[3]) - max(one[1], other[1])
    return max(wide, 0) * max(high, 0)


def area(place):
    return (place[2] - place[0]) * (place[3] - place[1])


def score(truth, read):
    exact = strict = found = held = invented = bare = 0
    missed = []
    for name, labels in truth.items():
        lines = read[name]
        for label in labels:
            there = [line for line in lines if shared(line.place, label["place"]) > 0.2 * min(area(label["place"]), area(line.place))]
            wanted = folded(label["text"])
            is_exact = any(folded(line.text) == wanted for line in there)
            exact += is_exact
            strict += any(line.text.strip() == label["text"] for line in there)
            held += any(wanted in folded(line.text) for line in there)
            found += sum(shared(line.place, label["place"]) for line in there) >= area(label["place"]) / 2
            if not is_exact:
                missed.append((name, label["text"], [line.text for line in there]))
        alone = sum(not any(shared(line.place, label["place"]) for label in labels) for line in lines)
        invented += alone
        bare += 0 if labels else alone
    return Score(sum(map(len, truth.values())), exact, strict, found, held, invented, bare, missed)


# What is told


def percent(part, whole):
    return f"{100 * part / max(whole, 1):.2f}"


def mean(values):
    return f"{sum(values) / len(values):.2f}"


def tell(name, told, engine):
    row = [percent(part, told.labels) for part in (told.exact, told.strict, told.found, told.held)]
    row += [f"{told.invented} ({told.bare})", mean(engine.seconds), mean(engine.processors), f"{engine.peak / MIB:.0f}"]
    print(f"{name:<20}" + "".join(f"{field:>10}" for field in row), flush=True)


def hold(told, exact, found):
    """Says which goals are not reached."""
    figures = [("exact %", 100 * told.exact / max(told.labels, 1), exact), ("found %", 100 * told.found / max(told.labels, 1), found)]
    missed = [f"{name} is {figure:.2f}, the goal {goal:g}" for name, figure, goal in figures if figure < goal]
    return missed + ([f"{told.bare} lines on pictures without text"] if told.bare > INVENTED else [])


def fast(program):
    """Holds the figures of speed.rs to their budgets; says how many are missed."""
    printed = subprocess.run([program], capture_output=True, text=True, check=True).stdout
    table = Table()
    for name, value in (line.split("\t") for line in printed.splitlines()):
        figure, unit = name.rsplit(", ", 1)
        table.add(figure, float(value), unit, BUDGETS[name])
    return [f"{table.missed} figures beyond 1.2 x their budget"] if table.missed else []


def others(folder, truth, files):
    if install_tesseract():
        engine = by_tesseract(files)
        tell("tesseract", score(truth, engine.read), engine)
    else:
        print(f"left out: tesseract (apt-get install {' '.join(TESSERACT)})")
    python = install_rapidocr(folder)
    engine = by_rapidocr(python, files) if python else None
    if engine:
        tell("rapidocr", score(truth, engine.read), engine)
    elif not python:
        print("left out: rapidocr, which pip could not install")


def drawn(arguments, program):
    """Draws the set; returns its labels and files."""
    set_ = arguments.folder.resolve() / "set"
    shutil.rmtree(set_, ignore_errors=True)
    faces = None
    if not arguments.only:
        install_fonts()
        faces = install_faces(arguments.folder.resolve())
    draw.draw_all(program, set_, arguments.screens, arguments.seed, faces)
    truth = json.loads((set_ / "truth.json").read_text(encoding="utf-8"))
    return truth, [set_ / name for name in truth]


def read(arguments, program):
    """Reads the set with every engine; says which goals uixt does not reach."""
    truth, files = drawn(arguments, program)
    print(f"{len(files)} screens, {sum(map(len, truth.values()))} labels")
    heads = ["exact %", "strict %", "found %", "held %", "invented", "s/screen", "s of cpu", "MiB"]
    print(f"{'':<20}" + "".join(f"{head:>10}" for head in heads))
    engine = by_uixt(arguments.uixt.resolve(), files)
    told = score(truth, engine.read)
    tell("uixt", told, engine)
    if arguments.show:
        for missed in told.missed:
            print("   ", *missed)
    if not arguments.only:
        others(arguments.folder.resolve(), truth, files)
    return hold(told, arguments.exact, arguments.found)


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("uixt", type=pathlib.Path, help="the program to measure")
    parser.add_argument("--speed", type=pathlib.Path, help="the program that tells how long readings take")
    parser.add_argument("--screens", type=int, default=60)
    parser.add_argument("--seed", type=int, default=7)
    parser.add_argument("--exact", type=float, default=EXACT, help=f"the goal in percent (default {EXACT})")
    parser.add_argument("--found", type=float, default=FOUND, help=f"the goal in percent (default {FOUND})")
    parser.add_argument("--only", action="store_true", help="no other engine, and no fonts but the system's")
    parser.add_argument("--show", action="store_true", help="print each label that uixt did not read exactly")
    parser.add_argument("--folder", type=pathlib.Path, default=pathlib.Path("target/ocr"), help="what is drawn and installed")
    arguments = parser.parse_args()
    missed = fast(arguments.speed.resolve()) if arguments.speed else []
    program = draw.browser()
    if not program:
        print("skipped: drawn screens, since there is no Chromium that draws them")
    elif arguments.only and not draw.families("zh"):
        print("skipped: drawn screens, since there is no font for Chinese")
    else:
        missed += read(arguments, program)
    if missed:
        sys.exit("; ".join(missed))


if __name__ == "__main__":
    main()
