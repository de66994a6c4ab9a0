import torch
from torch.distributed.fsdp import FullyShardedDataParallel as FSDP


@torch.no_grad()
def weight_norms(model):
    norms = {}
    with FSDP.summon_full_params(model, writeback=False):
        for name, p in model.named_parameters():
            norms[name] = p.norm().item()
    return norms
