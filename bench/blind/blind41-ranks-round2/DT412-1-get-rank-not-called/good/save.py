from pathlib import Path

import torch
import torch.distributed as dist


def write(model, path):
    if dist.get_rank() == 0:
        target = Path(path)
        target.parent.mkdir(parents=True, exist_ok=True)
        torch.save(model.module.state_dict(), target)
    dist.barrier()
