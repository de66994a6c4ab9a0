import argparse
import os

import torch
import torch.distributed as dist
from torch import nn
from torch.nn.parallel import DistributedDataParallel as DDP
from torch.utils.data import DataLoader, DistributedSampler, TensorDataset

from negatives import Negatives


class BPR(nn.Module):
    def __init__(self, users, items, width=64):
        super().__init__()
        self.user, self.item = nn.Embedding(users, width), nn.Embedding(items, width)

    def forward(self, users, positives, negatives):
        u = self.user(users).unsqueeze(1)
        good = (u * self.item(positives).unsqueeze(1)).sum(-1)
        bad = (u * self.item(negatives)).sum(-1)
        return -nn.functional.logsigmoid(good - bad).mean()


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--clicks", default="clicks.pt")
    parser.add_argument("--epochs", type=int, default=15)
    parser.add_argument("--seed", type=int, default=0)
    args = parser.parse_args()

    device = int(os.environ["LOCAL_RANK"])
    torch.cuda.set_device(device)
    dist.init_process_group("nccl")
    torch.manual_seed(args.seed)
    clicks = torch.load(args.clicks, map_location="cpu")
    data = TensorDataset(clicks["user"], clicks["item"])
    sampler = DistributedSampler(data, seed=args.seed, drop_last=True)
    loader = DataLoader(data, 1024, sampler=sampler, drop_last=True, num_workers=2)
    model = DDP(BPR(clicks["users"], clicks["items"]).to(device), device_ids=[device])
    optimizer = torch.optim.Adagrad(model.parameters(), lr=0.05)
    negatives = Negatives(clicks["items"], 8, args.seed, dist.get_rank(), args.epochs)
    for epoch in range(args.epochs):
        sampler.set_epoch(epoch)
        negatives.begin(epoch)
        for users, items in loader:
            wrong = negatives(items).to(device)
            loss = model(users.to(device), items.to(device), wrong)
            optimizer.zero_grad()
            loss.backward()
            optimizer.step()
    if dist.get_rank() == 0:
        torch.save(model.module.state_dict(), "bpr.pt")
    dist.destroy_process_group()


if __name__ == "__main__":
    main()
