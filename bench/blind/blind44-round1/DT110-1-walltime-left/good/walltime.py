import os
import time


class Allocation:
    def __init__(self, margin=300.0):
        end = os.environ.get("SLURM_JOB_END_TIME")
        self.end = float(end) if end else None
        self.margin = margin

    def ends_soon(self):
        return self.end is not None and time.time() > self.end - self.margin


def agreed(flag, device):
    """What the lead rank thinks, on every rank."""
    import torch
    import torch.distributed as dist

    box = torch.tensor([int(flag)], device=device)
    dist.broadcast(box, src=0)
    return bool(box.item())
