import os
from contextlib import ExitStack

import torch
import torch.distributed as dist
import torch.nn as nn
import torch.nn.functional as F
from torch.nn.parallel import DistributedDataParallel as DDP
from torch.utils.data import DataLoader, DistributedSampler, TensorDataset


class AmpStepper:
    def __init__(self, model, lr, window):
        self.model, self.window = model, window
        self.opt = torch.optim.AdamW(model.parameters(), lr=lr)
        self.scaler = torch.amp.GradScaler("cuda")
        self.micro = 0

    def __call__(self, x, y):
        self.micro += 1
        closing = self.micro % self.window == 0
        with ExitStack() as stack:
            if not closing:
                stack.enter_context(self.model.no_sync())
            with torch.autocast("cuda", dtype=torch.float16):
                loss = F.cross_entropy(self.model(x), y) / self.window
            self.scaler.scale(loss).backward()
        if closing:
            self.scaler.unscale_(self.opt)
            nn.utils.clip_grad_norm_(self.model.parameters(), 1.0)
            self.scaler.step(self.opt)
            self.scaler.update()
            self.opt.zero_grad(set_to_none=True)


def main(epochs=3):
    local_rank = int(os.environ["LOCAL_RANK"])
    torch.cuda.set_device(local_rank)
    dist.init_process_group("nccl")
    torch.manual_seed(0)
    net = nn.Sequential(nn.Linear(70, 256), nn.ReLU(), nn.Linear(256, 9)).cuda()
    model = DDP(net, device_ids=[local_rank])
    step = AmpStepper(model, lr=1e-3, window=4)
    gen = torch.Generator().manual_seed(8)
    x = torch.randn(8192, 70, generator=gen)
    data = TensorDataset(x, x[:, :9].argmax(dim=1))
    sampler = DistributedSampler(data, drop_last=True)
    loader = DataLoader(data, batch_size=32, sampler=sampler, drop_last=True, pin_memory=True)
    usable = len(loader) // 4 * 4
    for epoch in range(epochs):
        sampler.set_epoch(epoch)
        for number, (a, b) in enumerate(loader):
            if number >= usable:
                break
            step(a.cuda(non_blocking=True), b.cuda(non_blocking=True))
    if dist.get_rank() == 0:
        torch.save(net.state_dict(), "nine.pt")
    dist.destroy_process_group()


if __name__ == "__main__":
    main()
