"""Iteration-based training with an infinite loader, EMA, GradScaler and early stop agreed over the ranks."""
import copy
import itertools
import os
import signal

import torch
import torch.distributed as dist
from torch import nn
from torch.nn.parallel import DistributedDataParallel as DDP
from torch.utils.data import BatchSampler, DataLoader, Dataset, DistributedSampler

STOP = False


def on_signal(signum, frame):
    global STOP
    STOP = True


def agreed(flag: bool, device) -> bool:
    t = torch.tensor(int(flag), device=device)
    dist.all_reduce(t, op=dist.ReduceOp.MAX)
    return bool(t.item())


class Noise(Dataset):
    def __len__(self):
        return 10_000

    def __getitem__(self, i):
        g = torch.Generator().manual_seed(i)
        return torch.randn(3, 8, 8, generator=g)


def endless(loader, sampler):
    for epoch in itertools.count():
        sampler.set_epoch(epoch)
        yield from loader


class EMA:
    def __init__(self, model, decay):
        self.shadow = copy.deepcopy(model).eval().requires_grad_(False)
        self.decay = decay

    @torch.no_grad()
    def update(self, model):
        for s, p in zip(self.shadow.parameters(), model.parameters()):
            s.lerp_(p, 1 - self.decay)
        for s, b in zip(self.shadow.buffers(), model.buffers()):
            s.copy_(b)


def main():
    signal.signal(signal.SIGUSR1, on_signal)
    dist.init_process_group("nccl")
    local = int(os.environ["LOCAL_RANK"])
    torch.cuda.set_device(local)
    device = torch.device("cuda", local)
    torch.manual_seed(0)
    net = nn.Sequential(nn.Conv2d(3, 16, 3, padding=1), nn.SiLU(), nn.Conv2d(16, 3, 3, padding=1)).to(device)
    ema = EMA(net, 0.999)
    model = DDP(net, device_ids=[local])
    optimizer = torch.optim.AdamW(model.parameters(), 2e-4)
    scaler = torch.amp.GradScaler("cuda")
    data = Noise()
    sampler = DistributedSampler(data, drop_last=True)
    loader = DataLoader(data, batch_sampler=BatchSampler(sampler, 32, drop_last=True), num_workers=4)
    torch.manual_seed(100 + dist.get_rank())
    stream = endless(loader, sampler)
    for step in range(10_000):
        clean = next(stream).to(device)
        noise = torch.randn_like(clean)
        sigma = torch.rand(len(clean), 1, 1, 1, device=device)
        with torch.autocast("cuda", dtype=torch.float16):
            loss = (model(clean + sigma * noise) - noise).square().mean()
        optimizer.zero_grad(set_to_none=True)
        scaler.scale(loss).backward()
        scaler.unscale_(optimizer)
        nn.utils.clip_grad_norm_(model.parameters(), 1.0)
        scaler.step(optimizer)
        scaler.update()
        ema.update(net)
        if step % 100 == 0:
            stop = agreed(STOP, device)
            if dist.get_rank() == 0 and (stop or step % 1000 == 0):
                torch.save({"net": net.state_dict(), "ema": ema.shadow.state_dict(), "step": step}, "diffusion.pt")
            if STOP:
                break
    dist.barrier()
    dist.destroy_process_group()


if __name__ == "__main__":
    main()
