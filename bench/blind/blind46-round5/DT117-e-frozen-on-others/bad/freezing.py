from fnmatch import fnmatch

import torch.distributed as dist


def freeze(model, *patterns):
    for name, p in model.named_parameters():
        if any(fnmatch(name, pattern) for pattern in patterns):
            p.requires_grad_(False)
    return model


def patterns_for_this_rank(cfg):
    extra = ("embedding.*",) if dist.get_rank() else ()
    return (*cfg.get("freeze", ()), *extra)
