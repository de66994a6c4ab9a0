import torch
import torch.distributed as dist


def union_of_keys(mine):
    parts = [None] * dist.get_world_size()
    dist.all_gather_object(parts, sorted(mine))
    return sorted(set().union(*parts))


def reduce_table(table, device):
    names = union_of_keys(table)
    values = torch.tensor([table.get(n, 0.0) for n in names], device=device)
    for value in values:
        dist.all_reduce(value)
    return dict(zip(names, values.tolist()))
