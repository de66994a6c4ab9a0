import argparse
import os

import torch
import torch.distributed as dist
import torch.nn as nn
import torch.nn.functional as F
from torch.nn.parallel import DistributedDataParallel as DDP

from packing import pack, read_lengths, shuffled


def setup():
    backend = "nccl" if torch.cuda.is_available() else "gloo"
    local_rank = int(os.environ["LOCAL_RANK"])
    if torch.cuda.is_available():
        torch.cuda.set_device(local_rank)
        device = torch.device("cuda", local_rank)
    else:
        device = torch.device("cpu")
    dist.init_process_group(backend)
    return dist.get_rank(), dist.get_world_size(), device


class Tagger(nn.Module):
    def __init__(self, vocab=1000, dim=32):
        super().__init__()
        self.emb = nn.Embedding(vocab, dim)
        self.out = nn.Linear(dim, vocab)

    def forward(self, tokens):
        return self.out(self.emb(tokens))


def as_batch(lengths, device):
    tokens = torch.zeros(len(lengths), max(lengths) + 1, dtype=torch.long, device=device)
    return tokens[:, :-1], tokens[:, 1:]


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--corpus", default="corpus.txt")
    parser.add_argument("--budget", type=int, default=4096)
    args = parser.parse_args()
    rank, world, device = setup()
    torch.manual_seed(0)
    model = DDP(Tagger().to(device), device_ids=[device.index] if device.type == "cuda" else None)
    optimizer = torch.optim.AdamW(model.parameters(), lr=1e-3)
    packs = pack(read_lengths(args.corpus)[rank::world], args.budget)
    for epoch in range(3):
        for lengths in shuffled(packs, epoch):
            tokens, targets = as_batch(lengths, device)
            optimizer.zero_grad(set_to_none=True)
            logits = model(tokens)
            loss = F.cross_entropy(logits.flatten(0, 1), targets.flatten())
            loss.backward()
            optimizer.step()
    dist.barrier()
    dist.destroy_process_group()


if __name__ == "__main__":
    main()
