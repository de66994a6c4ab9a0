from torch.nn.parallel import DistributedDataParallel as DDP


def parallel(module):
    return DDP(module)


def bare(module):
    return getattr(module, "module", module)
