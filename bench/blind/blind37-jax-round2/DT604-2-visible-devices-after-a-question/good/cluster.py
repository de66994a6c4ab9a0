import os

import torch


def restrict(local_rank, per_process):
    """Shows this process its own devices only."""
    first = local_rank * per_process
    os.environ["CUDA_VISIBLE_DEVICES"] = ",".join(str(first + i) for i in range(per_process))


def describe():
    return [torch.cuda.get_device_name(i) for i in range(torch.cuda.device_count())]
