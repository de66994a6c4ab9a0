import functools
import json
import logging
import os
import time
from pathlib import Path

import torch
import torch.distributed as dist
import torch.nn as nn
import torch.nn.functional as F
from torch.nn.parallel import DistributedDataParallel as DDP
from torch.utils.data import DataLoader, DistributedSampler, TensorDataset

log = logging.getLogger(__name__)


def retry(times, pause):
    def decorate(fn):
        @functools.wraps(fn)
        def wrapper(*args, **kwargs):
            for attempt in range(times):
                try:
                    return fn(*args, **kwargs)
                except OSError as err:
                    log.warning("%s failed (%s), attempt %d of %d", fn.__name__, err, attempt + 1, times)
                    time.sleep(pause * 2**attempt)
            return fn(*args, **kwargs)

        return wrapper

    return decorate


def samples(n=4096, seed=3):
    gen = torch.Generator().manual_seed(seed)
    x = torch.randn(n, 32, generator=gen)
    return TensorDataset(x, x[:, :8].argmax(dim=1))


class Worker:
    def __init__(self, traces):
        cuda = torch.cuda.is_available()
        local_rank = int(os.environ["LOCAL_RANK"])
        if cuda:
            torch.cuda.set_device(local_rank)
        self.device = torch.device("cuda", local_rank) if cuda else torch.device("cpu")
        dist.init_process_group("nccl" if cuda else "gloo")
        self.rank = dist.get_rank()
        torch.manual_seed(0)
        net = nn.Sequential(nn.Linear(32, 128), nn.GELU(), nn.Linear(128, 8)).to(self.device)
        self.net = DDP(net, device_ids=[local_rank] if cuda else None)
        self.opt = torch.optim.AdamW(self.net.parameters(), lr=2e-4)
        data = samples()
        self.sampler = DistributedSampler(data, drop_last=True)
        self.loader = DataLoader(data, batch_size=64, sampler=self.sampler, drop_last=True)
        self.trace = Path(traces) / f"steps_{self.rank:05d}.jsonl"
        self.trace.parent.mkdir(parents=True, exist_ok=True)

    def record(self, **row):
        with self.trace.open("a") as out:
            out.write(json.dumps(row) + "\n")

    @retry(times=4, pause=0.5)
    def step(self, epoch, x, y):
        self.opt.zero_grad(set_to_none=True)
        loss = F.cross_entropy(self.net(x.to(self.device)), y.to(self.device))
        loss.backward()
        self.opt.step()
        self.record(epoch=epoch, loss=loss.item(), at=time.time())

    def run(self, epochs):
        for epoch in range(epochs):
            self.sampler.set_epoch(epoch)
            for x, y in self.loader:
                self.step(epoch, x, y)
        dist.barrier()
        if self.rank == 0:
            torch.save(self.net.module.state_dict(), "worker.pt")


def main():
    logging.basicConfig(level=logging.INFO)
    worker = Worker(os.environ.get("TRACES", "/mnt/nfs/traces"))
    try:
        worker.run(epochs=3)
    finally:
        dist.destroy_process_group()


if __name__ == "__main__":
    main()
