class Patience:
    """Counts evaluations without progress."""

    def __init__(self, limit, slack=1e-4):
        self.limit = limit
        self.slack = slack
        self.best = float("inf")
        self.bad = 0

    def feed(self, value):
        if value < self.best - self.slack:
            self.best = value
            self.bad = 0
        else:
            self.bad += 1
        return self

    @property
    def exhausted(self):
        return self.bad >= self.limit
