import logging
import sys

import torch.distributed as dist


def get_logger(name):
    logger = logging.getLogger(name)
    handler = logging.StreamHandler(sys.stdout)
    handler.setFormatter(logging.Formatter(f"[{dist.get_rank()}/{dist.get_world_size()}] %(message)s"))
    logger.addHandler(handler)
    logger.setLevel(logging.INFO if dist.get_rank() == 0 else logging.ERROR)
    return logger
