import os

import torch


def restrict_to(local_rank: int) -> None:
    """Show this process one device only, so that everything can say `cuda`."""
    os.environ["CUDA_VISIBLE_DEVICES"] = str(local_rank)


def describe() -> str:
    names = [torch.cuda.get_device_name(i) for i in range(torch.cuda.device_count())]
    return ", ".join(names) or "cpu only"
