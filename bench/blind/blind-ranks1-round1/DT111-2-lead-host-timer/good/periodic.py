class Periodic:
    """True once in every `every` ticks."""

    def __init__(self, every):
        self.every = every
        self.ticks = 0

    def tick(self):
        self.ticks += 1

    @property
    def due(self):
        return self.ticks > 0 and self.ticks % self.every == 0
