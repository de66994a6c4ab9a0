import argparse
import logging
import os

import torch
import torch.distributed as dist
from torch import nn
from torch.nn.parallel import DistributedDataParallel
from torch.utils.data import DataLoader, TensorDataset
from torch.utils.data.distributed import DistributedSampler

from meters import RunningMean

logger = logging.getLogger(__name__)


def get_args():
    parser = argparse.ArgumentParser()
    parser.add_argument("--epochs", type=int, default=3)
    parser.add_argument("--lr", type=float, default=3e-4)
    parser.add_argument("--log-every", type=int, default=5)
    return parser.parse_args()


def build_data(batch_size):
    gen = torch.Generator().manual_seed(11)
    images = torch.randn(640, 3, 8, 8, generator=gen)
    labels = torch.randint(0, 10, (640,), generator=gen)
    dataset = TensorDataset(images, labels)
    sampler = DistributedSampler(dataset, shuffle=True, seed=3, drop_last=True)
    return sampler, DataLoader(dataset, batch_size, sampler=sampler, drop_last=True)


def run_epoch(model, loader, optimizer, device, rank, log_every):
    meter = RunningMean("loss", device)
    for i, (x, y) in enumerate(loader):
        loss = nn.functional.cross_entropy(model(x.to(device)), y.to(device))
        optimizer.zero_grad(set_to_none=True)
        loss.backward()
        optimizer.step()
        meter.add(loss.item(), len(x))
        if (i + 1) % log_every == 0:
            if rank == 0:
                logger.info("step %d %s", i + 1, str(meter))
            meter.reset()


def main():
    args = get_args()
    dist.init_process_group("nccl" if torch.cuda.is_available() else "gloo")
    rank = dist.get_rank()
    if torch.cuda.is_available():
        device = torch.device("cuda", int(os.environ["LOCAL_RANK"]))
        torch.cuda.set_device(device)
    else:
        device = torch.device("cpu")
    logging.basicConfig(level=logging.INFO if rank == 0 else logging.WARNING)
    torch.manual_seed(1)
    net = nn.Sequential(nn.Conv2d(3, 16, 3), nn.ReLU(), nn.Flatten(), nn.Linear(16 * 36, 10)).to(device)
    model = DistributedDataParallel(net, device_ids=[device.index] if device.type == "cuda" else None)
    optimizer = torch.optim.Adam(model.parameters(), lr=args.lr)
    sampler, loader = build_data(batch_size=16)
    for epoch in range(args.epochs):
        sampler.set_epoch(epoch)
        run_epoch(model, loader, optimizer, device, rank, args.log_every)
    dist.destroy_process_group()


if __name__ == "__main__":
    main()
