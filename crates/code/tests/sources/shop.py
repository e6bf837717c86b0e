"""def not_this(): pass"""
import os

LIMIT = 3
NAMES: list[str] = [
    "a",  # class NorThis:
]


class Cart(dict):
    SIZE = 7

    def __init__(self, items=(), *, key="def x():"):
        self.items = items

    @property
    async def total(
        self,
        rate: float = 1.0,
    ) -> float:
        def inner(x): return x
        return sum(inner(i) for i in self.items)

    class Item:
        def price(self): return 1


def open_page(name): '''
class Nor: pass
'''

if os.name == "nt":
    def only_there():
        pass
