import contextlib


class Accumulator:
    """Decides when a micro-batch closes its window."""

    def __init__(self, model, every):
        self.model = model
        self.every = every

    def closes(self, index):
        return (index + 1) % self.every == 0

    def context(self, index):
        if self.closes(index):
            return contextlib.nullcontext()
        return self.model.no_sync()
