"""Retry of I/O with exponential back-off around loading on the main process, and re-raise; failed batch aborts all."""
import functools
import logging
import os
import random
import sys
import time
import traceback

import torch
import torch.distributed as dist
from torch import nn
from torch.nn.parallel import DistributedDataParallel as DDP
from torch.utils.data import DataLoader, Dataset, DistributedSampler

log = logging.getLogger("retry")


def retry(times=3, exceptions=(OSError,)):
    def deco(fn):
        @functools.wraps(fn)
        def wrapper(*args, **kwargs):
            for attempt in range(times):
                try:
                    return fn(*args, **kwargs)
                except exceptions:
                    if attempt == times - 1:
                        raise
                    time.sleep(2**attempt + random.random())

        return wrapper

    return deco


class Shards(Dataset):
    def __init__(self, folder, n=64):
        self.folder, self.n = folder, n

    def __len__(self):
        return self.n * 100

    @retry()
    def read(self, k):
        return torch.load(os.path.join(self.folder, f"{k:04d}.pt"))

    def __getitem__(self, i):
        return self.read(i // 100)[i % 100]


@retry(5)
def write(state, path):
    torch.save(state, path + ".tmp")
    os.replace(path + ".tmp", path)


def run():
    local = int(os.environ["LOCAL_RANK"])
    torch.cuda.set_device(local)
    dist.init_process_group("nccl")
    data = Shards("/data/shards")
    sampler = DistributedSampler(data)
    loader = DataLoader(data, 32, sampler=sampler, num_workers=4)
    model = DDP(nn.Linear(128, 128).cuda(), device_ids=[local])
    optimizer = torch.optim.Adam(model.parameters())
    for epoch in range(3):
        sampler.set_epoch(epoch)
        for x in loader:
            try:
                loss = (model(x.cuda()) - x.cuda()).square().mean()
                optimizer.zero_grad()
                loss.backward()
            except torch.cuda.OutOfMemoryError:
                log.error("out of memory on rank %d with %s", dist.get_rank(), tuple(x.shape))
                raise
            finite = torch.isfinite(loss.detach()).float()
            if finite.item() == 0:
                optimizer.zero_grad()
                break
            optimizer.step()
        if dist.get_rank() == 0:
            write(model.module.state_dict(), "retry.pt")
    dist.destroy_process_group()


def main():
    logging.basicConfig(level=logging.INFO)
    try:
        run()
    except Exception:
        traceback.print_exc()
        sys.exit(1)


if __name__ == "__main__":
    main()
