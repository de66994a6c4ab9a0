import argparse
import os

import torch
import torch.distributed as dist
from torch import nn
from torch.nn.parallel import DistributedDataParallel
from torch.utils.data import DataLoader

from mixture import Mixture, Source


class Bigram(nn.Module):
    def __init__(self, vocab=50_000, width=128):
        super().__init__()
        self.embed = nn.Embedding(vocab, width)
        self.out = nn.Linear(width, vocab)

    def forward(self, ids):
        return nn.functional.cross_entropy(self.out(self.embed(ids[:, :-1])).flatten(0, 1), ids[:, 1:].flatten())


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--sources", nargs="+", default=["web.pt", "books.pt", "code.pt"])
    parser.add_argument("--weights", nargs="+", type=float, default=[0.7, 0.2, 0.1])
    parser.add_argument("--steps", type=int, default=20_000)
    parser.add_argument("--seed", type=int, default=99)
    args = parser.parse_args()

    local_rank = int(os.environ["LOCAL_RANK"])
    torch.cuda.set_device(local_rank)
    dist.init_process_group("nccl")
    rank, world_size = dist.get_rank(), dist.get_world_size()
    torch.manual_seed(args.seed)
    sources = [Source(name, torch.load(name, map_location="cpu"), args.seed, rank, world_size) for name in args.sources]
    loader = DataLoader(Mixture(sources, args.weights, args.seed), batch_size=8, num_workers=0)
    model = DistributedDataParallel(Bigram().cuda(), device_ids=[local_rank])
    optimizer = torch.optim.AdamW(model.parameters(), lr=1e-3)
    for step, ids in zip(range(args.steps), loader):
        loss = model(ids.cuda(non_blocking=True))
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
        if step % 5000 == 0 and rank == 0:
            torch.save(model.module.state_dict(), "bigram.pt")
    dist.destroy_process_group()


if __name__ == "__main__":
    main()
