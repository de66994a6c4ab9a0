import os

import torch
import torch.distributed as dist


def publish(state, folder, name):
    """Write beside the target, then put it in place, so that no reader sees half a file."""
    final = os.path.join(folder, name)
    partial = final + ".partial"
    if dist.get_rank() == 0:
        os.makedirs(folder, exist_ok=True)
        torch.save(state, partial)
        os.replace(partial, final)
    dist.barrier()
    return final
