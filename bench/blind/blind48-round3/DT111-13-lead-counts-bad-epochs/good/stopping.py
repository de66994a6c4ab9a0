class EarlyStopping:
    def __init__(self, patience):
        self.patience = patience
        self.best, self.bad = float("inf"), 0

    def update(self, value):
        if value < self.best:
            self.best, self.bad = value, 0
        else:
            self.bad += 1

    @property
    def stop(self):
        return self.bad >= self.patience
