import os
import tempfile

import torch


class Checkpoints:
    def __init__(self, directory, ctx, keep=2):
        self.directory, self.ctx, self.keep = directory, ctx, keep
        if ctx.rank == 0:
            os.makedirs(directory, exist_ok=True)
        self.saved = []

    def save(self, epoch, model, optimizer):
        if self.ctx.rank:
            return
        optimizer.consolidate_state_dict(to=0)
        payload = {"epoch": epoch, "model": model.module.state_dict(), "optimizer": optimizer.state_dict()}
        handle, name = tempfile.mkstemp(dir=self.directory)
        with os.fdopen(handle, "wb") as stream:
            torch.save(payload, stream)
        target = os.path.join(self.directory, f"{epoch:04d}.pt")
        os.replace(name, target)
        self.saved.append(target)
        while len(self.saved) > self.keep:
            os.remove(self.saved.pop(0))
