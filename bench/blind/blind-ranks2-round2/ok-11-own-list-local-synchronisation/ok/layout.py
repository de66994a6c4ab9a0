import torch.distributed as dist


def node_group(per_node):
    rank = dist.get_rank()
    start = rank - rank % per_node
    return dist.new_group(list(range(start, start + per_node)), use_local_synchronization=True)
