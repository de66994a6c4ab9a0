import os

import torch
import torch.distributed as dist
from torch.nn.parallel import DistributedDataParallel as DDP
from torch.utils.data import DataLoader, DistributedSampler, TensorDataset

from droplayer.blocks import Stack


def wrap(model, device):
    ids = [device.index] if device.type == "cuda" else None
    return DDP(model.to(device), device_ids=ids, find_unused_parameters=True)


def main(epochs=2):
    cuda = torch.cuda.is_available()
    device = torch.device("cuda", int(os.environ["LOCAL_RANK"])) if cuda else torch.device("cpu")
    if cuda:
        torch.cuda.set_device(device)
    dist.init_process_group("nccl" if cuda else "gloo")
    torch.manual_seed(0)
    model = wrap(Stack(16, 6, drop=0.2), device)
    torch.manual_seed(1 + dist.get_rank())
    opt = torch.optim.AdamW(model.parameters(), lr=1e-3)
    x = torch.randn(512, 16, generator=torch.Generator().manual_seed(2))
    data = TensorDataset(x, x.max(1, keepdim=True).values)
    sampler = DistributedSampler(data, drop_last=True)
    loader = DataLoader(data, 32, sampler=sampler, drop_last=True)
    for epoch in range(epochs):
        sampler.set_epoch(epoch)
        for a, b in loader:
            loss = (model(a.to(device)) - b.to(device)).abs().mean()
            opt.zero_grad()
            loss.backward()
            opt.step()
    dist.destroy_process_group()


if __name__ == "__main__":
    main()
