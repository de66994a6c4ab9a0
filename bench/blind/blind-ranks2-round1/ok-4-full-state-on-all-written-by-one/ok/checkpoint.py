import os

import torch
import torch.distributed as dist
from torch.distributed.checkpoint.state_dict import (
    StateDictOptions,
    get_model_state_dict,
    set_model_state_dict,
)


def save(model, path):
    options = StateDictOptions(full_state_dict=True, cpu_offload=True)
    weights = get_model_state_dict(model, options=options)
    rank = dist.get_rank()
    if not rank:
        os.makedirs(os.path.dirname(path), exist_ok=True)
        torch.save(weights, path + ".tmp")
        os.replace(path + ".tmp", path)
    dist.barrier()


def load(model, path):
    weights = {}
    if dist.get_rank() == 0:
        weights = torch.load(path, map_location="cpu", weights_only=True)
    options = StateDictOptions(full_state_dict=True, broadcast_from_rank0=True)
    set_model_state_dict(model, weights, options=options)
