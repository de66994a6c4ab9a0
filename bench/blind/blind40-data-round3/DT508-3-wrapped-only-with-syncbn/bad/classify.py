import argparse
import os

import torch
import torch.distributed as dist
import torch.nn.functional as F
from torch import nn
from torch.nn.parallel import DistributedDataParallel
from torch.utils.data import DataLoader, DistributedSampler, TensorDataset


def network():
    return nn.Sequential(
        nn.Conv1d(1, 16, 5), nn.BatchNorm1d(16), nn.ReLU(), nn.AdaptiveAvgPool1d(4), nn.Flatten(), nn.Linear(64, 3)
    )


def distribute(model, args, device):
    ids = [device.index] if device.type == "cuda" else None
    if args.sync_bn:
        model = nn.SyncBatchNorm.convert_sync_batchnorm(model)
        model = DistributedDataParallel(model, device_ids=ids)
    return model


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--sync-bn", action="store_true")
    parser.add_argument("--epochs", type=int, default=5)
    args = parser.parse_args()
    cuda = torch.cuda.is_available()
    local = int(os.environ["LOCAL_RANK"])
    if cuda:
        torch.cuda.set_device(local)
    dist.init_process_group("nccl" if cuda else "gloo")
    device = torch.device("cuda", local) if cuda else torch.device("cpu")
    torch.manual_seed(0)
    model = distribute(network().to(device), args, device)
    opt = torch.optim.AdamW(model.parameters(), lr=1e-3)
    gen = torch.Generator().manual_seed(12)
    x = torch.randn(2000, 1, 64, generator=gen)
    data = TensorDataset(x, x.mean((1, 2)).mul(40).round().clamp(-1, 1).add(1).long())
    sampler = DistributedSampler(data, drop_last=True)
    loader = DataLoader(data, batch_size=50, sampler=sampler, drop_last=True)
    for epoch in range(args.epochs):
        sampler.set_epoch(epoch)
        for signal, label in loader:
            loss = F.cross_entropy(model(signal.to(device)), label.to(device))
            opt.zero_grad()
            loss.backward()
            opt.step()
    dist.destroy_process_group()


if __name__ == "__main__":
    main()
