from collections import defaultdict
from typing import Callable


class Hooks:
    def __init__(self):
        self._table: dict[str, list[Callable]] = defaultdict(list)

    def on(self, event):
        def register(fn):
            self._table[event].append(fn)
            return fn

        return register

    def fire(self, event, **payload):
        for fn in self._table[event]:
            fn(**payload)
