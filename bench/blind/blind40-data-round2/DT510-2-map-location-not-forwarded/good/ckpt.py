import pathlib

import torch


def save_checkpoint(folder, epoch, model, optimizer):
    folder = pathlib.Path(folder)
    folder.mkdir(parents=True, exist_ok=True)
    state = {"epoch": epoch, "model": model.state_dict(), "optimizer": optimizer.state_dict()}
    torch.save(state, folder / "latest.tmp")
    (folder / "latest.tmp").replace(folder / "latest.pt")


def load_checkpoint(folder, model, optimizer, map_location="cpu"):
    path = pathlib.Path(folder) / "latest.pt"
    if not path.exists():
        return 0
    state = torch.load(path, map_location=map_location, weights_only=True)
    model.load_state_dict(state["model"])
    optimizer.load_state_dict(state["optimizer"])
    return state["epoch"] + 1
