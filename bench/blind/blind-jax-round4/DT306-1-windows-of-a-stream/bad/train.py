import argparse
import itertools

import numpy as np
import torch
import torch.distributed as dist
import torch.nn.functional as F
from torch.nn.parallel import DistributedDataParallel as DDP
from torch.utils.data import DataLoader

from stream import Windows


class Bigram(torch.nn.Module):
    def __init__(self, vocab=40, width=24):
        super().__init__()
        self.embed = torch.nn.Embedding(vocab, width)
        self.head = torch.nn.Linear(width, vocab)

    def forward(self, tokens):
        return self.head(self.embed(tokens))


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--seed", type=int, default=6)
    parser.add_argument("--steps", type=int, default=20)
    parser.add_argument("--workers", type=int, default=2)
    args = parser.parse_args()
    dist.init_process_group("gloo")
    rank = dist.get_rank()
    torch.manual_seed(args.seed)
    model = DDP(Bigram())
    optimizer = torch.optim.AdamW(model.parameters(), lr=1e-2)
    tokens = (np.arange(5000) * 7 % 40).astype(np.uint16)
    loader = DataLoader(Windows(tokens, 17, args.seed, rank), batch_size=8, num_workers=args.workers)
    for step, (x, y) in enumerate(itertools.islice(loader, args.steps)):
        loss = F.cross_entropy(model(x).flatten(0, 1), y.flatten())
        optimizer.zero_grad(set_to_none=True)
        loss.backward()
        optimizer.step()
    dist.barrier()
    dist.destroy_process_group()


if __name__ == "__main__":
    main()
