import torch
import torch.distributed as dist


def fold(value):
    """The upper half of the ranks adds its values to those of the lower half."""
    rank, world = dist.get_rank(), dist.get_world_size()
    half = world // 2
    if rank >= half:
        dist.send(value, dst=rank - half)
        return None
    other = torch.empty_like(value)
    dist.recv(other, src=rank + half)
    return value + other
