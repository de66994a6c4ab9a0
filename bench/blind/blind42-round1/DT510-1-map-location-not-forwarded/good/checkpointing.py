import os

import torch


def save_snapshot(path, model, optimizer, epoch):
    tmp = f"{path}.part"
    torch.save({"model": model.state_dict(), "optimizer": optimizer.state_dict(), "epoch": epoch}, tmp)
    os.replace(tmp, path)


def load_snapshot(path, model, optimizer, map_location=None):
    if not os.path.isfile(path):
        return 0
    blob = torch.load(path, map_location=map_location, weights_only=True)
    model.load_state_dict(blob["model"])
    optimizer.load_state_dict(blob["optimizer"])
    return blob["epoch"] + 1
