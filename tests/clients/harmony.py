"""A Harmony phone behind an hdc server: what it shows, and what was done on it."""

import json
import re

from harmony_socket import PATIENCE, messages  # noqa: F401


class Phone:
    """A phone behind the server: what it shows, and what was done on it."""

    def __init__(self, address, key="uixt-harmony"):
        self.address, self.key = address, key

    def ask(self, command):
        return b"".join(messages(self.address, self.key, command)).decode()

    def shell(self, line):
        return self.ask(f"shell {line}")

    def acts(self, what):
        return json.loads(self.shell("uixt acts"))[what]

    def counted(self, what, act):
        """By how much the phone counts on while something is done."""
        before = self.acts(what)
        act()
        return self.acts(what) - before

    def nodes(self):
        """The attributes of all nodes on the screen."""
        path = "/data/local/tmp/judge.json"
        tree = json.loads(self.shell(f"uitest dumpLayout -p {path} >/dev/null && cat {path}"))
        found, waiting = [], [tree]
        while waiting:
            node = waiting.pop()
            found.append(node["attributes"])
            waiting.extend(reversed(node["children"]))
        return found

    def node(self, **wanted):
        """The first node with these attributes; none where there is none."""
        return next((node for node in self.nodes() if wanted.items() <= node.items()), None)

    def shows(self, text):
        return any(text == node.get("text") for node in self.nodes())

    def middle(self, **wanted):
        left, top, right, bottom = map(int, re.findall(r"-?\d+", self.node(**wanted)["bounds"]))
        return (left + right) // 2, (top + bottom) // 2
