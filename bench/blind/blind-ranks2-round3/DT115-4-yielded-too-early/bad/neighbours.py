import os

import torch
import torch.distributed as dist

from blocks import gathered_blocks


@torch.inference_mode()
def nearest(queries, rows, size):
    best = torch.full((len(queries),), float("inf"), device=queries.device)
    for block in gathered_blocks(rows, size):
        distance = torch.cdist(queries, block)
        best = torch.minimum(best, distance.amin(dim=1))
    return best


def main():
    cuda = torch.cuda.is_available()
    local = int(os.environ["LOCAL_RANK"])
    if cuda:
        torch.cuda.set_device(local)
    device = torch.device("cuda", local) if cuda else torch.device("cpu")
    dist.init_process_group("nccl" if cuda else "gloo")
    rank = dist.get_rank()
    rows = torch.randn(512, 64, generator=torch.Generator().manual_seed(rank)).to(device)
    queries = torch.randn(100, 64, generator=torch.Generator().manual_seed(500 + rank)).to(device)
    best = nearest(queries, rows, 64)
    torch.save(best.cpu(), f"nearest-{rank}.pt")
    dist.barrier()
    dist.destroy_process_group()


if __name__ == "__main__":
    main()
