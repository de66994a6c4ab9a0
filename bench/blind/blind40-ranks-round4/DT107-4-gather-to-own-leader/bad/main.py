import os

import torch
import torch.distributed as dist
import torch.nn as nn

from collect import Collector


@torch.no_grad()
def main(batches=20):
    cuda = torch.cuda.is_available()
    local_rank = int(os.environ["LOCAL_RANK"])
    if cuda:
        torch.cuda.set_device(local_rank)
    dist.init_process_group("nccl" if cuda else "gloo")
    device = torch.device("cuda", local_rank) if cuda else torch.device("cpu")
    torch.manual_seed(0)
    net = nn.Sequential(nn.Linear(5, 10), nn.ReLU(), nn.Linear(10, 2)).to(device).eval()
    gen = torch.Generator().manual_seed(800 + dist.get_rank())
    collect = Collector()
    kept = []
    for _ in range(batches):
        rows = collect(net(torch.randn(12, 5, generator=gen).to(device)))
        if rows is not None:
            kept.append(rows.cpu())
    if kept:
        torch.save(torch.cat(kept), f"outputs-{dist.get_rank()}.pt")
    dist.barrier()
    dist.destroy_process_group()


if __name__ == "__main__":
    main()
