import os

import torch
import torch.distributed as dist
import torch.nn as nn

from fold import fold


@torch.no_grad()
def main(batches=10):
    cuda = torch.cuda.is_available()
    if cuda:
        torch.cuda.set_device(int(os.environ["LOCAL_RANK"]))
    dist.init_process_group("nccl" if cuda else "gloo")
    device = torch.device("cuda", torch.cuda.current_device()) if cuda else torch.device("cpu")
    rank = dist.get_rank()
    torch.manual_seed(0)
    net = nn.Linear(6, 3).to(device).eval()
    gen = torch.Generator().manual_seed(rank)
    sums = torch.zeros(3, device=device)
    for _ in range(batches):
        sums += net(torch.randn(50, 6, generator=gen).to(device)).sum(0)
    folded = fold(sums)
    if folded is not None:
        torch.save(folded.cpu(), f"sum-{rank}.pt")
    dist.barrier()
    dist.destroy_process_group()


if __name__ == "__main__":
    main()
