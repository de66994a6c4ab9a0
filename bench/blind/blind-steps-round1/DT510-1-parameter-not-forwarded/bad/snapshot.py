from pathlib import Path

import torch
import torch.distributed as dist


def save_snapshot(path: Path, model, optimizer, epoch: int) -> None:
    if dist.get_rank() == 0:
        partial = path.with_suffix(".tmp")
        torch.save({"model": model.module.state_dict(), "optim": optimizer.state_dict(), "epoch": epoch}, partial)
        partial.replace(path)
    dist.barrier()


def load_snapshot(path: Path, model, optimizer, map_location=None) -> int:
    state = torch.load(path, weights_only=True)
    model.module.load_state_dict(state["model"])
    optimizer.load_state_dict(state["optim"])
    return state["epoch"] + 1
