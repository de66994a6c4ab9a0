import os

import torch
import torch.distributed as dist
import torch.distributed.checkpoint as dcp
from torch import nn
from torch.distributed.checkpoint.state_dict import get_state_dict
from torch.nn.parallel import DistributedDataParallel as DDP
from torch.utils.data import DataLoader, DistributedSampler, TensorDataset

from walltime import Allocation, agreed


def save(model, opt, step):
    weights, moments = get_state_dict(model, opt)
    dcp.save({"model": weights, "opt": moments, "step": step}, checkpoint_id=f"ckpt/{step}")


def train(model, opt, sampler, loader, device, epochs):
    allocation = Allocation()
    step = 0
    for epoch in range(epochs):
        sampler.set_epoch(epoch)
        for x, y in loader:
            opt.zero_grad()
            nn.functional.l1_loss(model(x.to(device)), y.to(device)).backward()
            opt.step()
            step += 1
            if agreed(allocation.ends_soon(), device):
                save(model, opt, step)
                return step
    return step


def main():
    cuda = torch.cuda.is_available()
    device = torch.device("cuda", int(os.environ["LOCAL_RANK"])) if cuda else torch.device("cpu")
    if cuda:
        torch.cuda.set_device(device)
    dist.init_process_group("nccl" if cuda else "gloo")
    torch.manual_seed(3)
    model = DDP(nn.Linear(6, 1).to(device), device_ids=[device.index] if cuda else None)
    opt = torch.optim.AdamW(model.parameters(), lr=1e-3)
    x = torch.randn(480, 6, generator=torch.Generator().manual_seed(0))
    data = TensorDataset(x, x[:, :1])
    sampler = DistributedSampler(data, drop_last=True)
    loader = DataLoader(data, 16, sampler=sampler, drop_last=True)
    step = train(model, opt, sampler, loader, device, epochs=10)
    if dist.get_rank() == 0:
        print("stopped at", step)
    dist.destroy_process_group()


if __name__ == "__main__":
    main()
