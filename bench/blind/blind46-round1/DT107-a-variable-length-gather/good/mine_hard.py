import os

import torch
import torch.distributed as dist
import torch.nn as nn
import torch.nn.functional as F


def gather_rows(rows):
    world = dist.get_world_size()
    count = torch.tensor([rows.shape[0]], device=rows.device)
    counts = [torch.zeros_like(count) for _ in range(world)]
    dist.all_gather(counts, count)
    longest = max(int(c) for c in counts)
    rows = F.pad(rows, (0, 0, 0, longest - rows.shape[0]))
    parts = [torch.empty_like(rows) for _ in range(world)]
    dist.all_gather(parts, rows)
    return torch.cat([p[: int(c)] for p, c in zip(parts, counts)])


def hard_rows(net, x, y, margin):
    with torch.no_grad():
        loss = F.cross_entropy(net(x), y, reduction="none")
    return x[loss > margin]


def local_rows(rank, n=256, dim=16):
    g = torch.Generator().manual_seed(100 + rank)
    x = torch.randn(n, dim, generator=g)
    return x, (x[:, 0] > 0).long()


def setup():
    cuda = torch.cuda.is_available()
    local_rank = int(os.environ["LOCAL_RANK"])
    if cuda:
        torch.cuda.set_device(local_rank)
    dist.init_process_group("nccl" if cuda else "gloo")
    return torch.device("cuda", local_rank) if cuda else torch.device("cpu")


def main(margin=0.7):
    device = setup()
    rank = dist.get_rank()
    torch.manual_seed(0)
    net = nn.Sequential(nn.Linear(16, 32), nn.ReLU(), nn.Linear(32, 2)).to(device).eval()
    x, y = (t.to(device) for t in local_rows(rank))
    hard = hard_rows(net, x, y, margin)
    pool = gather_rows(hard)
    if rank == 0:
        torch.save(pool.cpu(), "hard_pool.pt")
        print("pool of", pool.shape[0])
    dist.barrier()
    dist.destroy_process_group()


if __name__ == "__main__":
    main()
