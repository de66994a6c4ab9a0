import torch.distributed as dist

_HOOKS = []


def hook(*, every, lead_only=False):
    """Register a function that is called with the trainer's state every so many steps."""

    def register(fn):
        _HOOKS.append((every, lead_only, fn))
        return fn

    return register


def fire(step, state):
    rank = dist.get_rank()
    for every, lead_only, fn in _HOOKS:
        if step % every or (lead_only and rank != 0):
            continue
        fn(step, state)
