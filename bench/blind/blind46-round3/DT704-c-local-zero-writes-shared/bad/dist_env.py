import functools
import os

import torch.distributed as dist


def local_rank():
    return int(os.environ["LOCAL_RANK"])


def only_on(predicate):
    def wrap(fn):
        @functools.wraps(fn)
        def inner(*args, **kwargs):
            return fn(*args, **kwargs) if predicate() else None

        return inner

    return wrap


local_main_only = only_on(lambda: local_rank() == 0)
main_only = only_on(lambda: dist.get_rank() == 0)
