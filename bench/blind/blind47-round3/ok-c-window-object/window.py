import contextlib


class Window:
    def __init__(self, model, optimizer, size, length):
        self.model, self.optimizer, self.size, self.length = model, optimizer, size, length
        self.index = 0

    @property
    def closing(self):
        return (self.index + 1) % self.size == 0 or self.index + 1 == self.length

    @property
    def share(self):
        begun = self.index - self.index % self.size
        return 1.0 / (min(begun + self.size, self.length) - begun)

    @contextlib.contextmanager
    def micro(self):
        closing = self.closing
        with contextlib.nullcontext() if closing else self.model.no_sync():
            yield
        if closing:
            self.optimizer.step()
            self.optimizer.zero_grad()
        self.index += 1
