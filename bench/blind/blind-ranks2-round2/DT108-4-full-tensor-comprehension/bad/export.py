from pathlib import Path

import torch
import torch.distributed as dist
from torch.distributed.tensor import DTensor


def whole(value):
    return value.full_tensor() if isinstance(value, DTensor) else value


def export(model, folder, tag):
    folder = Path(folder)
    weights = {name: whole(value).cpu() for name, value in model.state_dict().items()} if dist.get_rank() == 0 else None
    if weights is not None:
        folder.mkdir(parents=True, exist_ok=True)
        torch.save(weights, folder / f"{tag}.pt")
    dist.barrier()
