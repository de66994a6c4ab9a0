from collections import defaultdict


class Bus:
    def __init__(self):
        self._listeners = defaultdict(list)

    def on(self, event, every=1):
        def register(fn):
            self._listeners[event].append((every, fn))
            return fn

        return register

    def fire(self, event, count, **payload):
        for every, fn in self._listeners[event]:
            if count % every == 0:
                fn(count=count, **payload)
