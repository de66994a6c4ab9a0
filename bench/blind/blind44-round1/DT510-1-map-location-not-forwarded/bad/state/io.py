import os

import torch


def save_checkpoint(path, model, optimizer, epoch):
    tmp = path + ".tmp"
    torch.save({"model": model.state_dict(), "optimizer": optimizer.state_dict(), "epoch": epoch}, tmp)
    os.replace(tmp, path)


def load_checkpoint(path, model, optimizer=None, map_location=None):
    """Reads what save_checkpoint wrote; returns the next epoch."""
    if not os.path.exists(path):
        return 0
    state = torch.load(path, weights_only=True)
    model.load_state_dict(state["model"])
    if optimizer is not None:
        optimizer.load_state_dict(state["optimizer"])
    return state["epoch"] + 1
