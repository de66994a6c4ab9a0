from pathlib import Path

import torch


class Checkpoint:
    def __init__(self, path, rank):
        self.path, self.rank = Path(path), rank

    def save(self, epoch, net, opt):
        if self.rank == 0:
            torch.save({"epoch": epoch, "net": net.state_dict(), "opt": opt.state_dict()}, self.path)

    def resume(self, net, opt, device):
        """Number of the next epoch."""
        if self.rank != 0 or not self.path.exists():
            return 0
        blob = torch.load(self.path, map_location=device, weights_only=True)
        net.load_state_dict(blob["net"])
        opt.load_state_dict(blob["opt"])
        return blob["epoch"] + 1
