import argparse
import math
import os

import torch
import torch.distributed as dist
import torch.nn as nn
import torch.nn.functional as F
from torch.nn.parallel import DistributedDataParallel as DDP
from torch.utils.data import DataLoader, DistributedSampler, TensorDataset


class LowRank(nn.Module):
    def __init__(self, base, rank, alpha=8.0):
        super().__init__()
        self.base = base
        self.base.weight.requires_grad_(False)
        self.rank = rank
        if rank > 0:
            self.down = nn.Parameter(torch.empty(rank, base.in_features))
            self.up = nn.Parameter(torch.zeros(base.out_features, rank))
            nn.init.kaiming_uniform_(self.down, a=math.sqrt(5))
            self.scale = alpha / rank

    def forward(self, x):
        out = self.base(x)
        if self.rank > 0:
            out = out + self.scale * (x @ self.down.t() @ self.up.t())
        return out


def adapt(model, rank, alpha):
    for name, child in list(model.named_children()):
        if isinstance(child, nn.Linear):
            setattr(model, name, LowRank(child, rank, alpha))
    return model


def spectrum(model, rank):
    """Mean singular values of the updates; one all_reduce for each adapted layer."""
    if rank == 0:
        return {}
    found = {}
    for name, module in model.named_modules():
        if isinstance(module, LowRank):
            values = torch.linalg.svdvals((module.up @ module.down).detach())[:rank].contiguous()
            dist.all_reduce(values)
            found[name] = (values / dist.get_world_size()).tolist()
    return found


def data(n=1600, seed=3):
    gen = torch.Generator().manual_seed(seed)
    x = torch.randn(n, 32, generator=gen)
    return TensorDataset(x, x[:, :5].argmax(1))


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--rank", type=int, default=4, help="rank of the update, 0 trains the biases only")
    parser.add_argument("--alpha", type=float, default=8.0)
    args = parser.parse_args()
    local_rank = int(os.environ["LOCAL_RANK"])
    cuda = torch.cuda.is_available()
    if cuda:
        torch.cuda.set_device(local_rank)
    device = torch.device("cuda", local_rank) if cuda else torch.device("cpu")
    dist.init_process_group("nccl" if cuda else "gloo")
    torch.manual_seed(0)
    net = adapt(nn.Sequential(nn.Linear(32, 64), nn.ReLU(), nn.Linear(64, 5)), args.rank, args.alpha).to(device)
    model = DDP(net, device_ids=[local_rank] if cuda else None)
    opt = torch.optim.AdamW([p for p in model.parameters() if p.requires_grad], lr=1e-3)
    train = data()
    sampler = DistributedSampler(train, drop_last=True)
    loader = DataLoader(train, batch_size=40, sampler=sampler, drop_last=True)
    for epoch in range(3):
        sampler.set_epoch(epoch)
        for x, y in loader:
            opt.zero_grad()
            F.cross_entropy(model(x.to(device)), y.to(device)).backward()
            opt.step()
        values = spectrum(net, args.rank)
        if dist.get_rank() == 0:
            print(epoch, values)
    dist.destroy_process_group()


if __name__ == "__main__":
    main()
