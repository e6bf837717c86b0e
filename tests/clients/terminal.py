"""Runs a program at a terminal of its own, as a person would: waits for what it shows, then types, or saves a file.

Takes a folder, the command and a list of turns as JSON; prints what was shown and the exit code. A turn is
{"wait": text, "type": text, "save": [path, text], "press": what is typed again while it waits}: what is typed may hold escapes of a terminal that answers.
"""

import fcntl
import json
import os
import pty
import re
import select
import struct
import sys
import termios
import time

SECONDS = 60
# Colours and moves of the cursor, which no person reads.
CONTROL = re.compile(r"\x1b\[[0-9;?]*[A-Za-z]")


def save(folder, path, text):
    """Saves as many editors do: a new file takes the old one's name."""
    whole = os.path.join(folder, path)
    with open(whole + "~", "w", encoding="utf-8") as file:
        file.write(text)
    os.replace(whole + "~", whole)


def main():
    folder, command, turns = (json.loads(argument) for argument in sys.argv[1:4])
    pid, terminal = pty.fork()
    if pid == 0:
        os.chdir(folder)
        os.environ.update(UIXT_BROWSER="none", TERM="xterm-256color", NO_COLOR="1")
        for name in ("TERM_PROGRAM", "CI", "UIXT_DEVICE", "KITTY_WINDOW_ID"):
            os.environ.pop(name, None)
        os.execvp(command[0], command)
    fcntl.ioctl(terminal, termios.TIOCSWINSZ, struct.pack("HHHH", 40, 120, 0, 0))
    shown, seen = "", 0

    def read(end):
        nonlocal shown
        ready, _, _ = select.select([terminal], [], [], max(0.0, end - time.monotonic()))
        if not ready:
            return b""
        try:
            data = os.read(terminal, 1 << 16)
        except OSError:
            data = b""
        shown += data.decode("utf-8", "replace")
        return data

    for turn in turns:
        end = time.monotonic() + SECONDS
        while (place := CONTROL.sub("", shown).find(turn["wait"], seen)) < 0:
            # What the program was not yet ready for is pressed again, as people do.
            pause = min(end, time.monotonic() + 3) if "press" in turn else end
            if not read(pause) and pause < end:
                os.write(terminal, turn["press"].encode())
            elif time.monotonic() >= end:
                os.kill(pid, 9)
                sys.exit(f"`{turn['wait']}` was not shown:\n{shown}")
        seen = place + len(turn["wait"])
        if "save" in turn:
            save(folder, *turn["save"])
        if "type" in turn:
            os.write(terminal, turn["type"].encode())
    end = time.monotonic() + SECONDS
    while read(end):
        pass
    if time.monotonic() >= end:
        os.kill(pid, 9)
        sys.exit(f"no end within {SECONDS} s:\n{shown}")
    _, status = os.waitpid(pid, 0)
    print(json.dumps({"shown": shown, "code": os.waitstatus_to_exitcode(status)}))


if __name__ == "__main__":
    main()
