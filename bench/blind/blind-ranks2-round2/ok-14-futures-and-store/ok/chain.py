import torch
import torch.distributed as dist


def mean_later(tensor, group=None):
    """A future of the tensor's mean over the ranks."""
    world = dist.get_world_size(group)
    work = dist.all_reduce(tensor, group=group, async_op=True)
    return work.get_future().then(lambda done: done.value()[0].div_(world))


def settle(futures):
    return torch.futures.wait_all(futures)
