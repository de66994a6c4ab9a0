import logging

import torch
import torch.distributed as dist

log = logging.getLogger(__name__)
RECOVERABLE = ("Expected to have finished reduction", "CUDNN_STATUS")


def recoverable(err):
    return any(text in str(err) for text in RECOVERABLE)


def recover(optimizer):
    log.warning("emergency recovery on rank %d", dist.get_rank())
    if torch.cuda.is_available():
        torch.cuda.synchronize()
    optimizer.zero_grad(set_to_none=True)
    dist.barrier()
