import time

import torch.distributed as dist


class Phase:
    """Times a part of the run; all ranks leave it together."""

    def __init__(self, name, log):
        self.name, self.log = name, log

    def __enter__(self):
        self.started = time.perf_counter()
        return self

    def __exit__(self, kind, value, trace):
        if kind is not None:
            self.log.append((self.name, "failed"))
            return False
        self.log.append((self.name, time.perf_counter() - self.started))
        dist.barrier()
        return False
