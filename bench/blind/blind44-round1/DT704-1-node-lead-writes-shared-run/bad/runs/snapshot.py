import os

import torch


class Snapshots:
    def __init__(self, ctx):
        self.ctx = ctx
        os.makedirs(ctx.run_dir, exist_ok=True)

    def write(self, model, epoch):
        if not self.ctx.node_lead:
            return
        torch.save({"model": model.state_dict(), "epoch": epoch}, os.path.join(self.ctx.run_dir, "latest.pt"))
