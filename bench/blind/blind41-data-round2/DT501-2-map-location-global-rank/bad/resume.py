import os

import torch


def resume(path, model, optimizer, rank, local_rank):
    if not os.path.exists(path):
        return 0
    state = torch.load(path, map_location=f"cuda:{rank}", weights_only=True)
    model.load_state_dict(state["model"])
    optimizer.load_state_dict(state["optimizer"])
    return state["epoch"] + 1
