class Patience:
    def __init__(self, limit, min_delta=1e-3):
        self.limit, self.min_delta = limit, min_delta
        self.best = float("inf")
        self.stale = 0

    def improved(self, value):
        return value < self.best - self.min_delta

    def record(self, value):
        self.best = value
        self.stale = 0

    def missed(self):
        self.stale += 1

    @property
    def exhausted(self):
        return self.stale >= self.limit
