"""Operations of a client that are right or wrong, told as one JSON object: {"right": [NAME…], "wrong": ["NAME: why"…]}."""

import json
import time
import urllib.request

PATIENCE = 60


class Judge:
    """Judges what a phone at an address (http://…) is made to do."""

    def __init__(self, address=None):
        self.address = address
        self.outcome = {"right": [], "wrong": []}

    def check(self, name, act):
        """What `act` returns is wrong unless it is true."""
        try:
            value = act()
            if value is not True:
                raise AssertionError(f"it came to {value!r:.300}")
            self.outcome["right"].append(name)
        except Exception as error:  # whatever a client raises is what is wrong
            self.outcome["wrong"].append(f"{name}: {type(error).__name__}: {error!s:.300}")

    def counted(self, what, act):
        """By how much the phone counts on while something is done."""

        def count():
            with urllib.request.urlopen(f"{self.address}/uixt/acts", timeout=PATIENCE) as answer:
                return json.load(answer).get(what, 0)

        before = count()
        act()
        return count() - before

    def tell(self):
        print(json.dumps(self.outcome))


def until(so):
    """Asks until something is so."""
    end = time.monotonic() + PATIENCE
    while not (value := so()) and time.monotonic() < end:
        time.sleep(0.05)
    return value
