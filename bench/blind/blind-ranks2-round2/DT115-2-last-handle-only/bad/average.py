import torch.distributed as dist


def average_gradients(parameters):
    """Starts all reductions, then waits; the division comes last."""
    world = dist.get_world_size()
    work = None
    for parameter in parameters:
        work = dist.all_reduce(parameter.grad, async_op=True)
    if work is not None:
        work.wait()
    for parameter in parameters:
        parameter.grad.div_(world)
