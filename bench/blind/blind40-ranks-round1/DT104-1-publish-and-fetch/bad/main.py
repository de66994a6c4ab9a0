import os

import torch
import torch.distributed as dist
import torch.nn as nn
from torch.nn.parallel import DistributedDataParallel

from exchange import Vocabulary

TEXT = "the quick brown fox jumps over the lazy dog while the cat sleeps".split()


def batches(vocab, rank, world, count, size=16):
    g = torch.Generator().manual_seed(50 + rank)
    ids = torch.tensor([vocab.table[w] for w in TEXT])
    for _ in range(count):
        at = torch.randint(0, len(ids) - 1, (size,), generator=g)
        yield ids[at], ids[at + 1]


def main():
    use_cuda = torch.cuda.is_available()
    local = int(os.environ["LOCAL_RANK"])
    device = torch.device("cuda", local) if use_cuda else torch.device("cpu")
    if use_cuda:
        torch.cuda.set_device(local)
    dist.init_process_group("nccl" if use_cuda else "gloo")
    rank, world = dist.get_rank(), dist.get_world_size()
    vocab = Vocabulary(rank)
    if rank == 0:
        vocab.build(TEXT)
    size = vocab.share()
    torch.manual_seed(1)
    net = nn.Sequential(nn.Embedding(size, 16), nn.Linear(16, size)).to(device)
    net = DistributedDataParallel(net, device_ids=[local] if use_cuda else None)
    opt = torch.optim.Adam(net.parameters(), lr=1e-2)
    for step, (x, y) in enumerate(batches(vocab, rank, world, 40)):
        loss = nn.functional.cross_entropy(net(x.to(device)), y.to(device))
        opt.zero_grad()
        loss.backward()
        opt.step()
    if rank == 0:
        torch.save({"model": net.module.state_dict(), "vocab": vocab.table}, "lm.pt")
    dist.destroy_process_group()


if __name__ == "__main__":
    main()
