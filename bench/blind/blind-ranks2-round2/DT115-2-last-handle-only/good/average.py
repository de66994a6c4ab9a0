import torch.distributed as dist


def average_gradients(parameters):
    """Starts all reductions, then waits; the division comes last."""
    world = dist.get_world_size()
    works = [dist.all_reduce(parameter.grad, async_op=True) for parameter in parameters]
    for work in works:
        work.wait()
    for parameter in parameters:
        parameter.grad.div_(world)
