"""Per-token losses of a held-out set, collected for a quantile table."""
import argparse
import os

import torch
import torch.distributed as dist
import torch.nn.functional as F
from torch import nn
from torch.utils.data import DataLoader, TensorDataset
from torch.utils.data.distributed import DistributedSampler


def held_out(n=256, length=20, vocab=31):
    g = torch.Generator().manual_seed(21)
    ids = torch.randint(1, vocab, (n, length), generator=g)
    keep = torch.arange(length)[None] < torch.randint(4, length, (n, 1), generator=g)
    return TensorDataset(ids, keep)


class Scorer(nn.Module):
    def __init__(self, vocab=31, width=16):
        super().__init__()
        self.emb = nn.Embedding(vocab, width)
        self.out = nn.Linear(width, vocab)

    def forward(self, ids):
        return self.out(self.emb(ids))


def concat_all(values):
    """Concatenation over ranks, in rank order."""
    world = dist.get_world_size()
    parts = [torch.empty_like(values) for _ in range(world)]
    dist.all_gather(parts, values)
    return torch.cat(parts)


@torch.no_grad()
def token_losses(model, loader, device):
    kept = []
    for ids, keep in loader:
        ids, keep = ids.to(device), keep.to(device)
        logits = model(ids[:, :-1])
        loss = F.cross_entropy(logits.transpose(1, 2), ids[:, 1:], reduction="none")
        kept.append(loss[keep[:, 1:]])
    return torch.cat(kept)


def main():
    ap = argparse.ArgumentParser()
    ap.add_argument("--quantiles", type=float, nargs="+", default=[0.5, 0.9, 0.99])
    ap.add_argument("--table", default="quantiles.txt")
    args = ap.parse_args()
    cuda = torch.cuda.is_available()
    local_rank = int(os.environ["LOCAL_RANK"])
    if cuda:
        torch.cuda.set_device(local_rank)
    device = torch.device("cuda", local_rank) if cuda else torch.device("cpu")
    dist.init_process_group("nccl" if cuda else "gloo")
    torch.manual_seed(0)
    model = Scorer().to(device).eval()
    data = held_out()
    sampler = DistributedSampler(data, shuffle=False)
    loader = DataLoader(data, batch_size=32, sampler=sampler)
    losses = concat_all(token_losses(model, loader, device))
    if dist.get_rank() == 0:
        with open(args.table, "w") as out:
            for q in args.quantiles:
                out.write(f"{q} {losses.quantile(q).item():.5f}\n")
    dist.barrier()
    dist.destroy_process_group()


if __name__ == "__main__":
    main()
