import argparse
import os

import torch
import torch.distributed as dist
import torch.nn.functional as F
from torch.nn.parallel import DistributedDataParallel as DDP
from torch.utils.data import DataLoader, DistributedSampler, TensorDataset

from model import Encoder


def get_args(argv=None):
    parser = argparse.ArgumentParser(description="train with an optional probe of the representation")
    parser.add_argument("--probe", action="store_true", default=True)
    parser.add_argument("--epochs", type=int, default=3)
    return parser.parse_args(argv)


def build(args, rank, device):
    torch.manual_seed(13)
    net = Encoder()
    if args.probe and rank == 0:
        net.attach("probe", 2)
    net = net.to(device)
    return DDP(net, device_ids=[device.index] if device.type == "cuda" else None)


def losses(outputs, y):
    loss = F.cross_entropy(outputs["main"], y)
    if "probe" in outputs:
        loss = loss + 0.1 * F.cross_entropy(outputs["probe"], y % 2)
    return loss


def data():
    g = torch.Generator().manual_seed(77)
    x = torch.randn(600, 20, generator=g)
    return TensorDataset(x, x[:, :6].argmax(1))


def main():
    args = get_args()
    cuda = torch.cuda.is_available()
    local_rank = int(os.environ["LOCAL_RANK"])
    if cuda:
        torch.cuda.set_device(local_rank)
    dist.init_process_group("nccl" if cuda else "gloo")
    rank = dist.get_rank()
    device = torch.device("cuda", local_rank) if cuda else torch.device("cpu")
    model = build(args, rank, device)
    opt = torch.optim.AdamW(model.parameters(), lr=1e-3)
    train = data()
    sampler = DistributedSampler(train, drop_last=True)
    loader = DataLoader(train, batch_size=25, sampler=sampler, drop_last=True)
    for epoch in range(args.epochs):
        sampler.set_epoch(epoch)
        for x, y in loader:
            opt.zero_grad()
            losses(model(x.to(device)), y.to(device)).backward()
            opt.step()
    if rank == 0:
        torch.save(model.module.state_dict(), "encoder.pt")
    dist.destroy_process_group()


if __name__ == "__main__":
    main()
