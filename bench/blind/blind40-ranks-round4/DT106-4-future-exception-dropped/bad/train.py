import logging
import os

import torch
import torch.distributed as dist
import torch.nn as nn
from torch.nn.parallel import DistributedDataParallel as DDP
from torch.utils.data import DataLoader, DistributedSampler, TensorDataset

from prefetch import Prefetcher

log = logging.getLogger("train")


def prepare(batch):
    x, y = batch
    if torch.isnan(x).any():
        raise ValueError("nan in batch")
    return x.sub(x.mean(1, keepdim=True)), y


def main():
    cuda = torch.cuda.is_available()
    local_rank = int(os.environ["LOCAL_RANK"])
    if cuda:
        torch.cuda.set_device(local_rank)
    dist.init_process_group("nccl" if cuda else "gloo")
    device = torch.device("cuda", local_rank) if cuda else torch.device("cpu")
    torch.manual_seed(0)
    model = DDP(nn.Linear(14, 2).to(device), device_ids=[local_rank] if cuda else None)
    opt = torch.optim.AdamW(model.parameters())
    x = torch.randn(700, 14, generator=torch.Generator().manual_seed(1))
    data = TensorDataset(x, (x[:, 0] > 0).long())
    sampler = DistributedSampler(data, drop_last=True)
    batches = Prefetcher(DataLoader(data, batch_size=25, sampler=sampler, drop_last=True), prepare)
    for epoch in range(2):
        sampler.set_epoch(epoch)
        for future in batches:
            try:
                xb, yb = future.result()
            except ValueError as err:
                log.warning("batch skipped: %s", err)
                continue
            opt.zero_grad()
            nn.functional.cross_entropy(model(xb.to(device)), yb.to(device)).backward()
            opt.step()
    dist.destroy_process_group()


if __name__ == "__main__":
    main()
