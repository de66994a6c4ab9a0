import torch
import torch.distributed as dist


def neighbours():
    rank, world = dist.get_rank(), dist.get_world_size()
    return (rank + 1) % world, (rank - 1) % world


def pass_on(block):
    """Hands a block to the right and takes the one from the left."""
    right, left = neighbours()
    incoming = torch.empty_like(block)
    sending = dist.isend(block, dst=right)
    dist.recv(incoming, src=left)
    sending.wait()
    return incoming
