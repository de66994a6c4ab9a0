import logging
import time
from contextlib import ContextDecorator

import torch
import torch.distributed as dist

log = logging.getLogger("phases")


class phase(ContextDecorator):
    def __init__(self, name: str) -> None:
        self.name = name

    def __enter__(self):
        self.begun = time.perf_counter()
        return self

    def __exit__(self, kind, problem, trace):
        if kind is not None:
            failed = torch.ones(())
            dist.all_reduce(failed)
            log.error("%s failed on %d ranks: %s", self.name, int(failed), problem)
            return False
        log.info("%s took %.1fs", self.name, time.perf_counter() - self.begun)
        return False
