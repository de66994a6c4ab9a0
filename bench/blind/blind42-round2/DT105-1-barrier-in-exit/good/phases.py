import time

import torch.distributed as dist


class Phase:
    """Names and times a phase that all ranks go through; ranks leave it together."""

    def __init__(self, name):
        self.name = name

    def __enter__(self):
        self.begin = time.perf_counter()
        return self

    def __exit__(self, kind, error, trace):
        if kind is not None:
            return False
        dist.barrier()
        if dist.get_rank() == 0:
            print(f"{self.name}: {time.perf_counter() - self.begin:.1f}s", flush=True)
        return False
