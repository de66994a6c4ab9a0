from collections import defaultdict


class Hooks:
    def __init__(self):
        self._by_name = defaultdict(list)

    def on(self, name, fn):
        self._by_name[name].append(fn)
        return fn

    def fire(self, name, **info):
        for fn in self._by_name[name]:
            fn(**info)
