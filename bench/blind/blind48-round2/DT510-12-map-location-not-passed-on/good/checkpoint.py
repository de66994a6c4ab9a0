from pathlib import Path

import torch


def save(path, model, optimizer, epoch):
    torch.save({"model": model.state_dict(), "optim": optimizer.state_dict(), "epoch": epoch}, path)


def resume(path, model, optimizer, map_location="cpu"):
    if not Path(path).exists():
        return 0
    state = torch.load(path, map_location=map_location, weights_only=True)
    model.load_state_dict(state["model"])
    optimizer.load_state_dict(state["optim"])
    return state["epoch"] + 1
