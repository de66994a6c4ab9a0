import torch
import torch.distributed as dist


def broadcast_tensors(tensors, device, src=0):
    """Sends a dict of tensors that only `src` has."""
    header = [None]
    if dist.get_rank() == src:
        header = [[(name, tuple(t.shape), t.dtype) for name, t in tensors.items()]]
    dist.broadcast_object_list(header, src=src)
    received = {}
    for name, shape, dtype in header[0]:
        tensor = tensors[name].to(device) if dist.get_rank() == src else torch.empty(shape, dtype=dtype, device=device)
        dist.broadcast(tensor, src=src)
        received[name] = tensor
    return received


def gather_rows(rows):
    """Rows of all ranks, whose number may differ."""
    length = torch.tensor([len(rows)], device=rows.device)
    longest = length.clone()
    dist.all_reduce(longest, op=dist.ReduceOp.MAX)
    padded = rows.new_zeros(int(longest), *rows.shape[1:])
    padded[: len(rows)] = rows
    parts = [torch.empty_like(padded) for _ in range(dist.get_world_size())]
    lengths = [torch.empty_like(length) for _ in parts]
    dist.all_gather(parts, padded)
    dist.all_gather(lengths, length)
    return torch.cat([part[: int(n)] for part, n in zip(parts, lengths)])
