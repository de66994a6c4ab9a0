import contextlib
import os
import random

import numpy as np
import torch
import torch.distributed as dist


@contextlib.contextmanager
def process_group(backend):
    dist.init_process_group(backend)
    try:
        yield int(os.environ["RANK"]), int(os.environ["WORLD_SIZE"])
    finally:
        dist.destroy_process_group()


def fix_seeds(seed):
    random.seed(seed)
    np.random.seed(seed % 2**32)
    torch.manual_seed(seed)


@torch.no_grad()
def average_gradients(parameters):
    grads = [p.grad for p in parameters if p.grad is not None]
    flat = torch.cat([g.reshape(-1) for g in grads])
    dist.all_reduce(flat)
    flat /= dist.get_world_size()
    for grad, piece in zip(grads, flat.split([g.numel() for g in grads])):
        grad.copy_(piece.view_as(grad))
