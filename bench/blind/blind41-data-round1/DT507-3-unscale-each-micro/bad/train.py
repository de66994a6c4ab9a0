import os

import torch
import torch.distributed as dist
import torch.nn.functional as F
from torch import nn
from torch.amp import GradScaler, autocast
from torch.nn.parallel import DistributedDataParallel as DDP
from torch.utils.data import DataLoader, DistributedSampler, TensorDataset


class AmpStep:
    def __init__(self, model, optimizer, accumulate):
        self.model, self.optimizer, self.accumulate = model, optimizer, accumulate
        self.scaler = GradScaler("cuda")
        self.count = 0

    def __call__(self, x, y):
        self.count += 1
        boundary = self.count % self.accumulate == 0
        self.model.require_backward_grad_sync = boundary
        with autocast("cuda", dtype=torch.float16):
            loss = F.cross_entropy(self.model(x), y) / self.accumulate
        self.scaler.scale(loss).backward()
        self.scaler.unscale_(self.optimizer)
        nn.utils.clip_grad_norm_(self.model.parameters(), 1.0)
        if boundary:
            self.scaler.step(self.optimizer)
            self.scaler.update()
            self.optimizer.zero_grad(set_to_none=True)


def main(epochs=2, accumulate=4):
    local = int(os.environ["LOCAL_RANK"])
    torch.cuda.set_device(local)
    dist.init_process_group("nccl")
    torch.manual_seed(0)
    x = torch.randn(16_384, 64)
    data = TensorDataset(x, x.argmax(1))
    sampler = DistributedSampler(data, shuffle=True)
    loader = DataLoader(data, batch_size=32, sampler=sampler, drop_last=True)
    model = DDP(nn.Sequential(nn.Linear(64, 256), nn.ReLU(), nn.Linear(256, 64)).cuda(), device_ids=[local])
    step = AmpStep(model, torch.optim.SGD(model.parameters(), lr=0.1), accumulate)
    for epoch in range(epochs):
        sampler.set_epoch(epoch)
        for xb, yb in loader:
            step(xb.cuda(non_blocking=True), yb.cuda(non_blocking=True))
    dist.destroy_process_group()


if __name__ == "__main__":
    main()
