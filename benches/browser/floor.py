"""The floor: what Chromium takes for requests of the DevTools protocol that do the same 50 steps, with nobody who looks, waits or reports.

`floor.py CHROMIUM ADDRESS ROUNDS FLAG...` prints the milliseconds of each step.
"""

import json
import os
import shutil
import subprocess
import sys
import tempfile
import time

PLACE = "(id => {{ const at = document.getElementById(id).getBoundingClientRect(); return [at.x + at.width / 2, at.y + at.height / 2]; }})({})"


class Browser:
    """A browser behind two pipes, its messages ended by zero bytes."""

    def __init__(self, program, flags, profile):
        theirs, self.to = os.pipe()
        self.source, answers = os.pipe()
        # Its descriptors are 3 and 4; the way over higher numbers lets neither be overwritten.
        high = [os.dup2(descriptor, number) for descriptor, number in ((theirs, 103), (answers, 104))]
        os.close(theirs)
        os.close(answers)
        command = f'exec "$0" "$@" 3<&{high[0]} 4>&{high[1]} {high[0]}<&- {high[1]}>&-'
        arguments = [*flags, "--remote-debugging-pipe", "--no-startup-window", f"--user-data-dir={profile}"]
        self.process = subprocess.Popen(
            ["bash", "-c", command, program, *arguments], pass_fds=high, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL,
        )
        for descriptor in high:
            os.close(descriptor)
        self.number, self.left, self.session, self.loaded = 0, b"", None, False

    def send(self, method, **params):
        self.number += 1
        message = {"id": self.number, "method": method, "params": params}
        if self.session:
            message["sessionId"] = self.session
        os.write(self.to, json.dumps(message).encode() + b"\0")
        return self.number

    def message(self):
        while b"\0" not in self.left:
            more = os.read(self.source, 65536)
            if not more:
                sys.exit("the browser ended")
            self.left += more
        one, self.left = self.left.split(b"\0", 1)
        one = json.loads(one)
        self.loaded |= one.get("method") == "Page.loadEventFired"
        return one

    def answer(self, number):
        while True:
            message = self.message()
            if message.get("id") == number:
                return message["result"]

    def ask(self, method, **params):
        return self.answer(self.send(method, **params))

    def value(self, expression):
        return self.ask("Runtime.evaluate", expression=expression, returnByValue=True)["result"].get("value")

    def click(self, button):
        x, y = self.value(PLACE.format(json.dumps(button)))
        at = {"x": x, "y": y, "button": "left", "clickCount": 1}
        self.send("Input.dispatchMouseEvent", type="mouseMoved", x=x, y=y)
        self.send("Input.dispatchMouseEvent", type="mousePressed", **at)
        self.answer(self.send("Input.dispatchMouseEvent", type="mouseReleased", **at))

    def fill(self, text):
        self.value("{ const field = document.getElementById('name'); field.focus(); field.select(); }")
        self.ask("Input.insertText", text=text)

    def says(self, wanted):
        text = self.value("document.getElementById('said').textContent")
        assert text == wanted, f"{text} is not {wanted}"


def main():
    program, address, rounds, *flags = sys.argv[1:]
    profile = tempfile.mkdtemp(prefix="uixt-floor-")
    browser = Browser(program, flags, profile)
    took = []

    def step(work, *arguments):
        began = time.perf_counter()
        work(*arguments)
        took.append((time.perf_counter() - began) * 1e3)

    try:
        target = browser.ask("Target.createTarget", url="about:blank", width=1280, height=800)["targetId"]
        browser.session = browser.ask("Target.attachToTarget", targetId=target, flatten=True)["sessionId"]
        browser.ask("Page.enable")
        browser.ask("Page.navigate", url=address + "/counter.html")
        while not browser.loaded:
            browser.message()
        for number in range(int(rounds)):
            step(browser.fill, f"name {number}")
            step(browser.click, "greet")
            step(browser.says, f"Hello, name {number}")
            step(browser.click, "forget")
            step(browser.says, f"Forgot name {number}")
        browser.session = None
        browser.ask("Browser.close")
        browser.process.wait(20)
    finally:
        browser.process.kill()
        shutil.rmtree(profile, ignore_errors=True)
    print(json.dumps(took))


if __name__ == "__main__":
    main()
