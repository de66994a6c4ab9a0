class Patience:
    """Counts epochs until the loss has not improved for `limit` of them."""

    def __init__(self, limit):
        self.limit = limit
        self.best, self.bad = float("inf"), 0

    def saw(self, loss):
        if loss < self.best - 1e-4:
            self.best, self.bad = loss, 0
        else:
            self.bad += 1

    def epochs(self, most):
        for epoch in range(most):
            yield epoch
            if self.bad >= self.limit:
                return
