from fields import Shared


class Counts:
    tokens = Shared()
    padding = Shared()

    def __init__(self):
        self.tokens = 0
        self.padding = 0

    def add(self, tokens, padding):
        self._tokens += tokens
        self._padding += padding
