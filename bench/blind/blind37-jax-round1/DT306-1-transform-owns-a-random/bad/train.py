import argparse
import os

import torch
import torch.distributed as dist
from torch import nn
from torch.nn.parallel import DistributedDataParallel as DDP
from torch.utils.data import DataLoader
from torch.utils.data.distributed import DistributedSampler

from augment import Compose, Protein, RandomSpan


def loader_for(path, args, rank):
    span = RandomSpan(mask_token=31, longest=12, seed=args.seed + rank)
    data = Protein(torch.load(path, map_location="cpu"), Compose(span))
    sampler = DistributedSampler(data, seed=args.seed, drop_last=True)
    return sampler, DataLoader(
        data,
        batch_size=args.batch,
        sampler=sampler,
        num_workers=6,
        drop_last=True,
    )


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--tokens", default="uniref_small.pt")
    parser.add_argument("--epochs", type=int, default=3)
    parser.add_argument("--batch", type=int, default=32)
    parser.add_argument("--seed", type=int, default=5)
    args = parser.parse_args()

    dist.init_process_group("nccl")
    device = int(os.environ["LOCAL_RANK"])
    torch.cuda.set_device(device)
    torch.manual_seed(args.seed)
    net = nn.Sequential(nn.Embedding(32, 64), nn.Linear(64, 64), nn.GELU(), nn.Linear(64, 32)).to(device)
    net = DDP(net, device_ids=[device])
    optimizer = torch.optim.AdamW(net.parameters(), lr=1e-3)
    sampler, loader = loader_for(args.tokens, args, dist.get_rank())
    for epoch in range(args.epochs):
        sampler.set_epoch(epoch)
        for masked, clean in loader:
            logits = net(masked.to(device))
            loss = nn.functional.cross_entropy(logits.flatten(0, 1), clean.to(device).flatten())
            optimizer.zero_grad()
            loss.backward()
            optimizer.step()
    if dist.get_rank() == 0:
        torch.save(net.module.state_dict(), "span.pt")
    dist.destroy_process_group()


if __name__ == "__main__":
    main()
