"""Two-tower retrieval; gradients are averaged with all_reduce, negatives are drawn on the device."""
import argparse
import os

import torch
import torch.distributed as dist
from torch import nn
from torch.utils.data import DataLoader, DistributedSampler, TensorDataset


class Towers(nn.Module):
    def __init__(self, users, items, dim=64):
        super().__init__()
        self.users, self.items = nn.Embedding(users, dim), nn.Embedding(items, dim)

    def forward(self, users, items):
        return (self.users(users)[:, None] * self.items(items)).sum(-1)


class Negatives:
    def __init__(self, count, items, seed, device):
        self.count, self.items = count, items
        self.generator = torch.Generator(device)
        self.generator.manual_seed(seed)

    def beside(self, positives):
        shape = (positives.shape[0], self.count)
        drawn = torch.randint(self.items, shape, generator=self.generator, device=positives.device)
        return torch.cat([positives[:, None], drawn], dim=1)


def reduce_gradients(model):
    for param in model.parameters():
        dist.all_reduce(param.grad, op=dist.ReduceOp.AVG)


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--seed", type=int, default=11)
    parser.add_argument("--epochs", type=int, default=2)
    args = parser.parse_args()
    dist.init_process_group("nccl")
    device = torch.device("cuda", int(os.environ["LOCAL_RANK"]))
    torch.cuda.set_device(device)
    torch.manual_seed(args.seed)
    clicks = torch.load("clicks.pt", map_location="cpu")
    model = Towers(100_000, 50_000).to(device)
    negatives = Negatives(64, 50_000, args.seed, device)
    data = TensorDataset(clicks["user"], clicks["item"])
    sampler = DistributedSampler(data, seed=args.seed, drop_last=True)
    loader = DataLoader(data, batch_size=1024, sampler=sampler, drop_last=True)
    optimizer = torch.optim.Adagrad(model.parameters(), lr=0.05)
    for epoch in range(args.epochs):
        sampler.set_epoch(epoch)
        for user, item in loader:
            user, item = user.to(device), item.to(device)
            scores = model(user, negatives.beside(item))
            loss = nn.functional.cross_entropy(scores, torch.zeros_like(item))
            optimizer.zero_grad()
            loss.backward()
            reduce_gradients(model)
            optimizer.step()
    if dist.get_rank() == 0:
        torch.save(model.state_dict(), "towers.pt")
    dist.destroy_process_group()


if __name__ == "__main__":
    main()
