from pathlib import Path

import torch


class BestKeeper:
    def __init__(self, path, mode="max"):
        self.path, self.sign = Path(path), 1 if mode == "max" else -1
        self.best = float("-inf")

    def offer(self, score, state):
        if self.sign * score > self.best:
            self.best = self.sign * score
            torch.save({"score": score, "state": state}, self.path)
            return True
        return False
