import argparse
import os
from pathlib import Path

import torch
import torch.distributed as dist
import torch.nn as nn
import torch.nn.functional as F
from torch.nn.parallel import DistributedDataParallel as DDP
from torch.utils.data import DataLoader, DistributedSampler, TensorDataset


def parse():
    parser = argparse.ArgumentParser()
    parser.add_argument("--epochs", type=int, default=4)
    parser.add_argument("--batch-size", type=int, default=32)
    parser.add_argument("--resume", type=Path, default=None)
    return parser.parse_args()


def restore(path, model, optimizer, device):
    if path is None or not path.exists():
        return 0
    state = torch.load(path, map_location=device, weights_only=True)
    model.load_state_dict(state["model"])
    optimizer.load_state_dict(state["optimizer"])
    return state["epoch"] + 1


def save(path, model, optimizer, epoch):
    state = {"model": model.state_dict(), "optimizer": optimizer.state_dict(), "epoch": epoch}
    temporary = path.with_suffix(".tmp")
    torch.save(state, temporary)
    temporary.replace(path)


def main():
    args = parse()
    cuda = torch.cuda.is_available()
    if cuda:
        torch.cuda.set_device(int(os.environ["LOCAL_RANK"]))
    dist.init_process_group("nccl" if cuda else "gloo")
    device = torch.device("cuda", torch.cuda.current_device()) if cuda else torch.device("cpu")
    torch.manual_seed(0)
    net = nn.Sequential(nn.Linear(6, 24), nn.SiLU(), nn.Linear(24, 1)).to(device)
    optimizer = torch.optim.AdamW(net.parameters(), lr=1e-3)
    first = restore(args.resume, net, optimizer, device)
    model = DDP(net)
    x = torch.randn(512, 6, generator=torch.Generator().manual_seed(4))
    data = TensorDataset(x, x.norm(dim=1, keepdim=True))
    sampler = DistributedSampler(data, drop_last=True)
    loader = DataLoader(data, args.batch_size, sampler=sampler, drop_last=True)
    sampler.set_epoch(first)
    for epoch in range(first, args.epochs):
        sampler.set_epoch(epoch)
        for features, target in loader:
            loss = F.mse_loss(model(features.to(device)), target.to(device))
            optimizer.zero_grad()
            loss.backward()
            optimizer.step()
        if dist.get_rank() == 0:
            save(Path("last.pt"), net, optimizer, epoch)
    dist.destroy_process_group()


if __name__ == "__main__":
    main()
