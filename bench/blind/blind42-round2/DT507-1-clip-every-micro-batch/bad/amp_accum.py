"""Mixed precision with accumulation; AMP scaler and clipping."""
import contextlib
import os

import torch
import torch.distributed as dist
import torch.nn as nn
from torch.nn.parallel import DistributedDataParallel as DDP
from torch.utils.data import DataLoader, DistributedSampler, TensorDataset


class Optimise:
    def __init__(self, model, lr, window, max_norm):
        self.model, self.window, self.max_norm = model, window, max_norm
        self.optimizer = torch.optim.AdamW(model.parameters(), lr)
        self.scaler = torch.amp.GradScaler("cuda")

    def __call__(self, index, x, y):
        last = (index + 1) % self.window == 0
        with contextlib.ExitStack() as stack:
            if not last:
                stack.enter_context(self.model.no_sync())
            with torch.autocast("cuda", torch.float16):
                loss = nn.functional.cross_entropy(self.model(x), y) / self.window
            self.scaler.scale(loss).backward()
        self.scaler.unscale_(self.optimizer)
        nn.utils.clip_grad_norm_(self.model.parameters(), self.max_norm)
        if last:
            self.scaler.step(self.optimizer)
            self.scaler.update()
            self.optimizer.zero_grad(set_to_none=True)


def network(width=1024):
    block = lambda: nn.Sequential(nn.LayerNorm(width), nn.Linear(width, width), nn.GELU())
    return nn.Sequential(nn.Linear(300, width), *[block() for _ in range(6)], nn.Linear(width, 50))


def main(epochs=8, window=4):
    local_rank = int(os.environ["LOCAL_RANK"])
    torch.cuda.set_device(local_rank)
    dist.init_process_group("nccl")
    data = TensorDataset(*torch.load("vectors.pt", map_location="cpu"))
    sampler = DistributedSampler(data, drop_last=True)
    loader = DataLoader(data, 64, sampler=sampler, num_workers=2, pin_memory=True, drop_last=True)
    model = DDP(network().cuda(), device_ids=[local_rank])
    optimise = Optimise(model, 3e-4, window, 1.0)
    usable = len(loader) - len(loader) % window
    for epoch in range(epochs):
        sampler.set_epoch(epoch)
        for index, (x, y) in enumerate(loader):
            if index == usable:
                break
            optimise(index, x.cuda(non_blocking=True), y.cuda(non_blocking=True))
    if dist.get_rank() == 0:
        torch.save(model.module.state_dict(), "amp.pt")
    dist.barrier()
    dist.destroy_process_group()


if __name__ == "__main__":
    main()
