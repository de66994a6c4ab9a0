import contextlib

import torch
import torch.distributed as dist
from torch.distributed.fsdp import FullyShardedDataParallel as FSDP


@contextlib.contextmanager
def full_view(model):
    with FSDP.summon_full_params(model, writeback=False):
        yield dict(model.named_parameters())


@torch.no_grad()
def weight_norms(model):
    with full_view(model) as params:
        return {name: p.norm().item() for name, p in params.items()}


def log_norms(model, step):
    norms = weight_norms(model)
    if dist.get_rank() == 0:
        print(step, max(norms.items(), key=lambda kv: kv[1]))
