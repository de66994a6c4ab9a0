from pathlib import Path

import torch
import torch.distributed as dist
import torch.nn.functional as F

from robust import retry


class Validator:
    """Every rank scores its own file; the loss is over all of them."""

    def __init__(self, root, device):
        self.path = Path(root) / f"val_{dist.get_rank():03d}.pt"
        self.device = device

    @retry(times=3)
    def _read(self):
        blob = torch.load(self.path, weights_only=True)
        return blob["x"].to(self.device), blob["y"].to(self.device)

    @torch.no_grad()
    def __call__(self, net):
        net.eval()
        totals = torch.zeros(2, device=self.device)
        dist.barrier()
        x, y = self._read()
        totals[0] = F.mse_loss(net(x), y, reduction="sum")
        totals[1] = y.numel()
        dist.all_reduce(totals)
        net.train()
        return (totals[0] / totals[1]).item()
