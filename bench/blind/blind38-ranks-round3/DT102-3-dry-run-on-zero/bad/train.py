import argparse
import dataclasses
import json
import os

import torch
import torch.distributed as dist
import torch.nn as nn
import torch.nn.functional as F
from torch.nn.parallel import DistributedDataParallel as DDP
from torch.utils.data import DataLoader, DistributedSampler, TensorDataset


@dataclasses.dataclass
class Options:
    lr: float = 1e-3
    width: int = 64
    depth: int = 3
    epochs: int = 5
    batch_size: int = 32
    dry_run: bool = False

    @classmethod
    def parse(cls):
        parser = argparse.ArgumentParser()
        for field in dataclasses.fields(cls):
            if field.type == "bool" or field.type is bool:
                parser.add_argument(f"--{field.name}", action="store_true")
            else:
                parser.add_argument(f"--{field.name}", type=type(field.default), default=field.default)
        return cls(**vars(parser.parse_args()))


def build(options):
    layers = [nn.Linear(10, options.width)]
    for _ in range(options.depth - 1):
        layers += [nn.ReLU(), nn.Linear(options.width, options.width)]
    return nn.Sequential(*layers, nn.ReLU(), nn.Linear(options.width, 1))


def describe(options, net, steps):
    facts = {**dataclasses.asdict(options), "parameters": sum(p.numel() for p in net.parameters()), "steps": steps}
    print(json.dumps(facts, indent=2))


def train(options, device, local_rank):
    rank, world = dist.get_rank(), dist.get_world_size()
    torch.manual_seed(1)
    net = build(options).to(device)
    gen = torch.Generator().manual_seed(2)
    x = torch.randn(3200, 10, generator=gen)
    data = TensorDataset(x, x.norm(dim=1, keepdim=True))
    sampler = DistributedSampler(data, drop_last=True)
    loader = DataLoader(data, batch_size=options.batch_size, sampler=sampler, drop_last=True)
    if rank == 0:
        describe(options, net, options.epochs * len(loader))
        if options.dry_run:
            return
    model = DDP(net, device_ids=[local_rank] if device.type == "cuda" else None)
    opt = torch.optim.Adam(model.parameters(), lr=options.lr)
    for epoch in range(options.epochs):
        sampler.set_epoch(epoch)
        for x, y in loader:
            opt.zero_grad()
            F.mse_loss(model(x.to(device)), y.to(device)).backward()
            opt.step()
    if rank == 0:
        torch.save(net.state_dict(), "norm.pt")


def main():
    options = Options.parse()
    local_rank = int(os.environ["LOCAL_RANK"])
    cuda = torch.cuda.is_available()
    if cuda:
        torch.cuda.set_device(local_rank)
    device = torch.device("cuda", local_rank) if cuda else torch.device("cpu")
    dist.init_process_group("nccl" if cuda else "gloo")
    try:
        train(options, device, local_rank)
    finally:
        dist.destroy_process_group()


if __name__ == "__main__":
    main()
