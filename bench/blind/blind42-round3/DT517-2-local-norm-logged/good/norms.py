"""FSDP1 with a hand-written gradient norm for the log."""
import os

import torch
import torch.distributed as dist
import torch.nn as nn
from torch.distributed.fsdp import FullyShardedDataParallel as FSDP
from torch.distributed.fsdp.wrap import ModuleWrapPolicy
from torch.utils.data import DataLoader, DistributedSampler, TensorDataset


class Block(nn.Module):
    def __init__(self, width):
        super().__init__()
        self.a, self.b = nn.Linear(width, 4 * width), nn.Linear(4 * width, width)

    def forward(self, x):
        return x + self.b(torch.relu(self.a(x)))


def gradient_norm(model):
    squares = [p.grad.detach().square().sum() for p in model.parameters() if p.grad is not None]
    total = torch.stack(squares).sum()
    dist.all_reduce(total)
    return total.sqrt()


def main(epochs=2):
    torch.cuda.set_device(int(os.environ["LOCAL_RANK"]))
    dist.init_process_group("nccl")
    torch.manual_seed(0)
    net = nn.Sequential(*[Block(1024) for _ in range(12)])
    model = FSDP(net, auto_wrap_policy=ModuleWrapPolicy({Block}), device_id=torch.cuda.current_device())
    optimizer = torch.optim.AdamW(model.parameters(), 1e-4)
    data = TensorDataset(torch.load("states.pt", map_location="cpu", mmap=True))
    sampler = DistributedSampler(data, drop_last=True)
    loader = DataLoader(data, 32, sampler=sampler, drop_last=True)
    for epoch in range(epochs):
        sampler.set_epoch(epoch)
        for step, (x,) in enumerate(loader):
            x = x.cuda()
            loss = nn.functional.mse_loss(model(x), x.roll(1, -1))
            loss.backward()
            norm = gradient_norm(model)
            optimizer.step()
            optimizer.zero_grad(set_to_none=True)
            if step % 50 == 0 and dist.get_rank() == 0:
                print(f"{epoch}/{step} gradient norm {norm.item():.3f}", flush=True)
    dist.barrier()
    dist.destroy_process_group()


if __name__ == "__main__":
    main()
