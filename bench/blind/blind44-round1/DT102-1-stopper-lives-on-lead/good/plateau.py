class Plateau:
    """Counts how often the mean loss did not improve."""

    def __init__(self, patience, delta=1e-3):
        self.patience, self.delta = patience, delta
        self.best, self.bad = float("inf"), 0

    def update(self, value):
        if value < self.best - self.delta:
            self.best, self.bad = value, 0
        else:
            self.bad += 1
        return self.bad >= self.patience
