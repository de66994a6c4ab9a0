import os
from argparse import ArgumentParser

import torch
import torch.distributed as dist
from torch import nn
from torch.nn.parallel import DistributedDataParallel as DDP
from torch.utils.data import DataLoader, DistributedSampler, TensorDataset

from keeper import CheckpointKeeper


def get_args():
    parser = ArgumentParser()
    parser.add_argument("--out", default="kept")
    parser.add_argument("--keep", type=int, default=2)
    parser.add_argument("--save-every", type=int, default=4)
    parser.add_argument("--epochs", type=int, default=3)
    return parser.parse_args()


class Net(nn.Module):
    def __init__(self):
        super().__init__()
        self.layers = nn.ModuleList([nn.Linear(8, 8) for _ in range(3)])
        self.out = nn.Linear(8, 2)

    def forward(self, x):
        for layer in self.layers:
            x = x + torch.relu(layer(x))
        return self.out(x)


def main():
    args = get_args()
    cuda = torch.cuda.is_available()
    local_rank = int(os.environ["LOCAL_RANK"])
    if cuda:
        torch.cuda.set_device(local_rank)
    dist.init_process_group("nccl" if cuda else "gloo")
    rank = dist.get_rank()
    device = torch.device("cuda", local_rank) if cuda else torch.device("cpu")
    torch.manual_seed(0)
    net = Net().to(device)
    model = DDP(net, device_ids=[local_rank] if cuda else None)
    optimizer = torch.optim.SGD(model.parameters(), lr=1e-2)
    g = torch.Generator().manual_seed(10)
    x = torch.randn(256, 8, generator=g)
    data = TensorDataset(x, (x[:, 0] * x[:, 1] > 0).long())
    sampler = DistributedSampler(data, drop_last=True)
    loader = DataLoader(data, batch_size=16, sampler=sampler, drop_last=True)
    keeper = CheckpointKeeper(args.out, args.keep, rank)
    step = 0
    for epoch in range(args.epochs):
        sampler.set_epoch(epoch)
        for a, b in loader:
            optimizer.zero_grad()
            nn.functional.cross_entropy(model(a.to(device)), b.to(device)).backward()
            optimizer.step()
            step += 1
            if step % args.save_every == 0:
                keeper.save(net, step)
    dist.barrier()
    dist.destroy_process_group()


if __name__ == "__main__":
    main()
