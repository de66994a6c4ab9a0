class StopTraining(Exception):
    """Raised by a callback to end the training loop."""


class LossFloor:
    def __init__(self, floor, patience=5):
        self.floor, self.patience = floor, patience
        self.hits = 0

    def __call__(self, loss):
        self.hits = self.hits + 1 if loss < self.floor else 0
        if self.hits >= self.patience:
            raise StopTraining(f"loss below {self.floor} {self.hits} times")
