import argparse
import os

import torch
import torch.distributed as dist
from torch import nn
from torch.nn.parallel import DistributedDataParallel as DDP
from torch.utils.data import DataLoader

from corpus import ShardedJsonl


class TinyLM(nn.Module):
    def __init__(self, vocab=32000, width=256):
        super().__init__()
        self.embed = nn.Embedding(vocab, width)
        self.rnn = nn.GRU(width, width, batch_first=True)
        self.head = nn.Linear(width, vocab)

    def forward(self, ids):
        hidden, _ = self.rnn(self.embed(ids[:, :-1]))
        return nn.functional.cross_entropy(self.head(hidden).flatten(0, 1), ids[:, 1:].flatten())


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--root", required=True)
    parser.add_argument("--seed", type=int, default=None, help="order of the files")
    parser.add_argument("--steps", type=int, default=10_000)
    args = parser.parse_args()

    local_rank = int(os.environ["LOCAL_RANK"])
    torch.cuda.set_device(local_rank)
    dist.init_process_group("nccl")
    try:
        data = ShardedJsonl(args.root, dist.get_rank(), dist.get_world_size(), args.seed)
        loader = DataLoader(data, batch_size=16, num_workers=2, drop_last=True)
        torch.manual_seed(0)
        model = DDP(TinyLM().cuda(), device_ids=[local_rank])
        optimizer = torch.optim.AdamW(model.parameters(), lr=3e-4)
        for step, ids in zip(range(args.steps), loader):
            loss = model(ids.cuda(non_blocking=True))
            optimizer.zero_grad()
            loss.backward()
            optimizer.step()
            if step % 1000 == 0 and dist.get_rank() == 0:
                torch.save(model.module.state_dict(), f"lm_{step}.pt")
    finally:
        dist.destroy_process_group()


if __name__ == "__main__":
    main()
