import os

import torch


class Resumable:
    """Mixin: a trainer that writes and reads its own state."""

    folder = "ckpt"

    def write(self):
        if self.rank == 0:
            os.makedirs(self.folder, exist_ok=True)
            torch.save({"net": self.net.state_dict(), "opt": self.opt.state_dict(), "epoch": self.epoch}, self.path())

    def path(self):
        return os.path.join(self.folder, "last.pt")

    def resume(self):
        if os.path.exists(self.path()):
            state = torch.load(self.path(), map_location=f"cuda:{self.local}", weights_only=True)
            self.net.load_state_dict(state["net"])
            self.opt.load_state_dict(state["opt"])
            self.epoch = state["epoch"] + 1
