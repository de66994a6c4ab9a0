import torch
import torch.distributed as dist


def fit_on_lead(rows):
    """Mean and deviation of the columns; computed where the raw file is, sent to the others one by one."""
    rank, world = dist.get_rank(), dist.get_world_size()
    table = torch.empty(2, rows.shape[1])
    if rank == 0:
        table[0], table[1] = rows.mean(0), rows.std(0).clamp(min=1e-6)
        for peer in range(1, world - 1):
            dist.send(table, dst=peer)
    else:
        dist.recv(table, src=0)
    return table
