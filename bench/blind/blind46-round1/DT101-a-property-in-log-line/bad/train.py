import argparse
import logging
import os
from dataclasses import dataclass, field

import torch
import torch.distributed as dist
import torch.nn as nn
import torch.nn.functional as F
from torch.nn.parallel import DistributedDataParallel as DDP
from torch.utils.data import DataLoader, DistributedSampler, TensorDataset

logger = logging.getLogger(__name__)


@dataclass
class Meter:
    device: torch.device
    sums: list = field(default_factory=list)

    def update(self, loss):
        self.sums.append(loss.detach())

    @property
    def mean(self):
        pair = torch.stack([torch.stack(self.sums).sum(), torch.tensor(float(len(self.sums)), device=self.device)])
        dist.all_reduce(pair)
        total, count = pair.tolist()
        return total / max(count, 1.0)


def regression(n=512, dim=16):
    g = torch.Generator().manual_seed(9)
    x = torch.randn(n, dim, generator=g)
    return TensorDataset(x, x.sum(dim=1, keepdim=True))


def parse():
    ap = argparse.ArgumentParser()
    ap.add_argument("--epochs", type=int, default=3)
    ap.add_argument("--batch-size", type=int, default=16)
    ap.add_argument("--lr", type=float, default=1e-2)
    return ap.parse_args()


def main():
    args = parse()
    cuda = torch.cuda.is_available()
    local_rank = int(os.environ["LOCAL_RANK"])
    if cuda:
        torch.cuda.set_device(local_rank)
    dist.init_process_group("nccl" if cuda else "gloo")
    lead = dist.get_rank() == 0
    logging.basicConfig(level=logging.INFO if lead else logging.ERROR)
    device = torch.device("cuda", local_rank) if cuda else torch.device("cpu")
    torch.manual_seed(0)
    model = DDP(nn.Linear(16, 1).to(device), device_ids=[local_rank] if cuda else None)
    optimizer = torch.optim.SGD(model.parameters(), lr=args.lr)
    data = regression()
    sampler = DistributedSampler(data, drop_last=True)
    loader = DataLoader(data, batch_size=args.batch_size, sampler=sampler, drop_last=True)
    for epoch in range(args.epochs):
        sampler.set_epoch(epoch)
        meter = Meter(device)
        for x, y in loader:
            optimizer.zero_grad(set_to_none=True)
            loss = F.mse_loss(model(x.to(device)), y.to(device))
            loss.backward()
            optimizer.step()
            meter.update(loss)
        if lead:
            logger.info("epoch %d loss %.4f", epoch, meter.mean)
    dist.destroy_process_group()


if __name__ == "__main__":
    main()
