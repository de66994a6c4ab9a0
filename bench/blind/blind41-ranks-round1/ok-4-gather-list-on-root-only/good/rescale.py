import os

import torch
import torch.distributed as dist


def rescale(local):
    """The root looks at all pieces and hands a factor back to each rank."""
    rank, world = dist.get_rank(), dist.get_world_size()
    pieces = [torch.empty_like(local) for _ in range(world)] if rank == 0 else None
    dist.gather(local, gather_list=pieces, dst=0)
    factors = None
    if rank == 0:
        biggest = torch.stack(pieces).abs().max()
        factors = [(piece.abs().max() / biggest).reshape(1) for piece in pieces]
    mine = torch.empty(1, device=local.device)
    dist.scatter(mine, scatter_list=factors, src=0)
    return local * mine


def main():
    cuda = torch.cuda.is_available()
    local_rank = int(os.environ["LOCAL_RANK"])
    if cuda:
        torch.cuda.set_device(local_rank)
    dist.init_process_group("nccl" if cuda else "gloo")
    device = torch.device("cuda", local_rank) if cuda else torch.device("cpu")
    gen = torch.Generator().manual_seed(dist.get_rank())
    local = torch.randn(64, generator=gen).to(device)
    for _ in range(3):
        local = rescale(local)
    print(dist.get_rank(), local.norm().item())
    dist.destroy_process_group()


if __name__ == "__main__":
    main()
