import collections


class Bus:
    def __init__(self):
        self.handlers = collections.defaultdict(list)

    def on(self, event, handler):
        self.handlers[event].append(handler)
        return handler

    def emit(self, event, *args):
        for handler in self.handlers[event]:
            handler(*args)
