import argparse
import os

import torch
import torch.distributed as dist
from torch import nn
from torch.distributed.optim import ZeroRedundancyOptimizer
from torch.nn.parallel import DistributedDataParallel as DDP
from torch.utils.data import DataLoader, DistributedSampler, TensorDataset


def arguments():
    parser = argparse.ArgumentParser()
    parser.add_argument("--epochs", type=int, default=2)
    parser.add_argument("--save", default="zero.pt")
    parser.add_argument("--resume", default="")
    return parser.parse_args()


def checkpoint(path, model, optimizer, epoch, rank):
    if rank == 0:
        optimizer.consolidate_state_dict(to=0)
        torch.save(
            {"model": model.module.state_dict(), "optimizer": optimizer.state_dict(), "epoch": epoch},
            path,
        )
    dist.barrier()


def resume(path, model, optimizer, device):
    if not path:
        return 0
    saved = torch.load(path, map_location=device)
    model.module.load_state_dict(saved["model"])
    optimizer.load_state_dict(saved["optimizer"])
    return saved["epoch"] + 1


def main():
    args = arguments()
    cuda = torch.cuda.is_available()
    local_rank = int(os.environ["LOCAL_RANK"])
    if cuda:
        torch.cuda.set_device(local_rank)
    dist.init_process_group("nccl" if cuda else "gloo")
    rank = dist.get_rank()
    device = torch.device("cuda", local_rank) if cuda else torch.device("cpu")
    torch.manual_seed(0)
    net = nn.Sequential(nn.Linear(33, 99), nn.ReLU(), nn.Linear(99, 7)).to(device)
    model = DDP(net, device_ids=[local_rank] if cuda else None)
    optimizer = ZeroRedundancyOptimizer(model.parameters(), optimizer_class=torch.optim.Adam, lr=1e-3)
    g = torch.Generator().manual_seed(0)
    data = TensorDataset(torch.randn(700, 33, generator=g), torch.randint(0, 7, (700,), generator=g))
    sampler = DistributedSampler(data, drop_last=True)
    loader = DataLoader(data, batch_size=35, sampler=sampler, drop_last=True)
    for epoch in range(resume(args.resume, model, optimizer, device), args.epochs):
        sampler.set_epoch(epoch)
        for x, y in loader:
            loss = nn.functional.cross_entropy(model(x.to(device)), y.to(device))
            optimizer.zero_grad()
            loss.backward()
            optimizer.step()
        checkpoint(args.save, model, optimizer, epoch, rank)
    dist.destroy_process_group()


if __name__ == "__main__":
    main()
