#!/usr/bin/env python3
"""Draws screens whose texts are known: PNG files, and truth.json with each label's text and place.

    tests/drawn/draw.py FOLDER --screens 60 --seed 7

Chromium draws them, from fonts of the system and, where `--faces` names a folder into which npm installed what fonts.txt lists, from
those as well. The same seed, fonts and Chromium draw the same screens. Standard library only.
"""

import argparse
import base64
import json
import os
import pathlib
import shutil
import subprocess
import sys
import tempfile

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent))
import pages  # noqa: E402

BROWSERS = ["/usr/lib/chromium/chromium-headless-shell", "chromium-headless-shell", "chrome-headless-shell", "chromium", "google-chrome"]
# Of a lossy picture, from 0 to 100.
QUALITY = 40

# What is cut off or covered is hidden; of the others, text and place in lengths of the page.
LABELS = """
(() => {
  const list = document.querySelector('.list')?.getBoundingClientRect();
  const told = [];
  for (const label of document.querySelectorAll('.label')) {
    const {left, top, right, bottom} = label.getBoundingClientRect();
    const within = label.closest('.list') ? list : {left: 0, top: 0, right: innerWidth, bottom: innerHeight};
    const whole = left >= within.left && top >= within.top && right <= within.right && bottom <= within.bottom;
    const clear = told.every(({place: [l, t, r, b]}) => left >= r || right <= l || top >= b || bottom <= t);
    if (whole && clear) told.push({text: label.dataset.text, place: [left, top, right, bottom]});
    else label.style.visibility = 'hidden';
  }
  return told;
})()
"""

LOADED = """
new Promise(done => document.readyState === 'complete' ? done() : addEventListener('load', done))
  .then(() => document.fonts.ready).then(() => true)
"""


class Gone(Exception):
    """The browser ended, or refused."""


def browser():
    """Returns the program of a browser, or nothing."""
    return next(filter(None, map(shutil.which, BROWSERS)), None)


def families(language=None):
    """Returns the families of fonts that the system has, or those for a language."""
    if not shutil.which("fc-list"):
        return set()
    asked = ["fc-list", f":lang={language}" if language else ":", "family"]
    known = subprocess.run(asked, capture_output=True, text=True, check=False).stdout
    return {family.strip() for line in known.splitlines() for family in line.split(",")}


class Browser:
    """A headless Chromium that is spoken to through a pipe: messages of the DevTools protocol, each ended by a zero."""

    def __init__(self, program):
        self.home = tempfile.TemporaryDirectory(prefix="uixt-drawn-", ignore_cleanup_errors=True)
        their_in, self.out = os.pipe()
        self.in_, their_out = os.pipe()
        flags = [
            "--headless=new", "--remote-debugging-pipe", "--disable-gpu", "--hide-scrollbars", "--no-first-run", "--no-sandbox",
            "--force-color-profile=srgb", "--font-render-hinting=none", "--allow-file-access-from-files", f"--user-data-dir={self.home.name}",
        ]
        # Chromium reads from 3 and writes to 4.
        script = f'exec "$@" 3<&{their_in} 4>&{their_out} 2>/dev/null'
        self.process = subprocess.Popen(["bash", "-c", script, "bash", program, *flags], pass_fds=(their_in, their_out), stdout=subprocess.DEVNULL)
        os.close(their_in)
        os.close(their_out)
        self.read, self.number, self.session = bytearray(), 0, None
        target = self.ask("Target.createTarget", url="about:blank")["targetId"]
        self.session = self.ask("Target.attachToTarget", targetId=target, flatten=True)["sessionId"]

    def message(self):
        while b"\0" not in self.read:
            part = os.read(self.in_, 1 << 20)
            if not part:
                raise Gone("the browser ended")
            self.read += part
        line, _, rest = self.read.partition(b"\0")
        self.read = bytearray(rest)
        return json.loads(line)

    def ask(self, method, **parameters):
        self.number += 1
        request = {"id": self.number, "method": method, "params": parameters}
        if self.session:
            request["sessionId"] = self.session
        os.write(self.out, json.dumps(request).encode() + b"\0")
        while True:
            answer = self.message()
            if answer.get("id") == self.number:
                if "error" in answer:
                    raise Gone(f"{method}: {answer['error'].get('message')}")
                return answer["result"]

    def show(self, page):
        """Loads a page and waits for its fonts and pictures."""
        file = pathlib.Path(self.home.name) / "page.html"
        file.write_text(page, encoding="utf-8")
        self.ask("Page.navigate", url=file.as_uri())
        self.value(LOADED)

    def value(self, script):
        answer = self.ask("Runtime.evaluate", expression=script, returnByValue=True, awaitPromise=True)
        if "exceptionDetails" in answer:
            raise Gone(answer["exceptionDetails"]["exception"].get("description", "a script failed"))
        return answer["result"].get("value")

    def size(self, width, height, scale):
        """Sets the size in lengths of the page, and how many pixels each has."""
        sides = {"width": round(width / scale), "height": round(height / scale)}
        self.ask("Emulation.setDeviceMetricsOverride", **sides, deviceScaleFactor=scale, mobile=False)

    def picture(self, **kind):
        return base64.b64decode(self.ask("Page.captureScreenshot", **kind)["data"])

    def close(self):
        self.process.kill()
        self.process.wait()
        os.close(self.out)
        os.close(self.in_)
        self.home.cleanup()


def draw(browser, screen):
    """Returns the bytes of a screen's PNG and its labels."""
    browser.size(screen.width, screen.height, screen.scale)
    browser.show(screen.page)
    labels = browser.value(LABELS)
    for label in labels:
        label["place"] = [round(side * screen.scale) for side in label["place"]]
    if not screen.noise:
        return browser.picture(format="png"), labels
    lossy = base64.b64encode(browser.picture(format="jpeg", quality=QUALITY)).decode()
    look = "style='position:fixed;inset:0;width:100%;height:100%'"
    browser.show(f"<!doctype html><img {look} src='data:image/jpeg;base64,{lossy}'>")
    return browser.picture(format="png"), labels


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("folder", type=pathlib.Path)
    parser.add_argument("--screens", type=int, default=60)
    parser.add_argument("--seed", type=int, default=7)
    parser.add_argument("--faces", type=pathlib.Path, help="the folder into which npm installed what fonts.txt lists")
    arguments = parser.parse_args()
    program = browser()
    if not program:
        sys.exit("there is no Chromium")
    count = draw_all(program, arguments.folder, arguments.screens, arguments.seed, arguments.faces)
    print(f"{arguments.screens} screens with {count} labels")


def draw_all(program, folder, screens, seed, faces=None):
    """Draws screens into a folder; returns how many labels they have."""
    names = sorted([*pages.LATIN, *pages.HAN])
    sheets = [faces.resolve() / "node_modules/@fontsource" / name / "index.css" for name in names] if faces else []
    sheets = [sheet.as_uri() for sheet in sheets if sheet.is_file()]
    folder.mkdir(parents=True, exist_ok=True)
    truth = {}
    shown = Browser(program)
    try:
        for number in range(screens):
            png, labels = draw(shown, pages.screen(number, seed, sheets))
            name = f"{number:02}.png"
            (folder / name).write_bytes(png)
            truth[name] = labels
    finally:
        shown.close()
    (folder / "truth.json").write_text(json.dumps(truth, ensure_ascii=False, indent=1), encoding="utf-8")
    return sum(map(len, truth.values()))


if __name__ == "__main__":
    main()
