import os

import torch


class Saver:
    def __init__(self, directory, rank, keep=3):
        self.directory = directory
        self.main = rank == 0
        self.keep = keep
        if self.main:
            os.makedirs(directory, exist_ok=True)

    def save(self, model, step):
        if not self.main:
            return
        torch.save(model.state_dict(), os.path.join(self.directory, f"step_{step:07d}.pt"))
        for old in sorted(os.listdir(self.directory))[: -self.keep]:
            os.remove(os.path.join(self.directory, old))
