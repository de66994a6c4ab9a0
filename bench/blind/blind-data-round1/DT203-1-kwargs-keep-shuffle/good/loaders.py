import torch.distributed as dist
from torch.utils.data import DataLoader, DistributedSampler

DEFAULTS = {"batch_size": 16, "num_workers": 0, "pin_memory": False, "shuffle": True}


def loader_for(dataset, train, overrides=None):
    kwargs = {**DEFAULTS, **(overrides or {})}
    if not train:
        kwargs["shuffle"] = False
    kwargs["drop_last"] = train
    if dist.is_initialized() and dist.get_world_size() > 1:
        kwargs["sampler"] = DistributedSampler(dataset, shuffle=kwargs["shuffle"], drop_last=train)
        kwargs["shuffle"] = False
    return DataLoader(dataset, **kwargs)
