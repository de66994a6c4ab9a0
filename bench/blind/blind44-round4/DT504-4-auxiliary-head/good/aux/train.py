import os

import torch
import torch.distributed as dist
import torch.nn.functional as F
from torch.nn.parallel import DistributedDataParallel as DDP
from torch.utils.data import DataLoader, DistributedSampler, TensorDataset

from aux.net import TwoHeads


def loss_of(model, x, y, z):
    known = z >= 0
    out, extra = model(x)
    each = F.cross_entropy(extra, z.clamp(min=0), reduction="none")
    return F.cross_entropy(out, y) + (each * known).sum() / known.sum().clamp(min=1)


def main(epochs=2):
    cuda = torch.cuda.is_available()
    device = torch.device("cuda", int(os.environ["LOCAL_RANK"])) if cuda else torch.device("cpu")
    if cuda:
        torch.cuda.set_device(device)
    dist.init_process_group("nccl" if cuda else "gloo")
    torch.manual_seed(0)
    model = DDP(TwoHeads().to(device), device_ids=[device.index] if cuda else None)
    opt = torch.optim.AdamW(model.parameters())
    g = torch.Generator().manual_seed(0)
    x = torch.randn(640, 16, generator=g)
    z = torch.where(torch.rand(640, generator=g) < 0.02, (x[:, 0] > 0).long(), -1)
    data = TensorDataset(x, x[:, :4].argmax(1), z)
    sampler = DistributedSampler(data, drop_last=True)
    loader = DataLoader(data, 16, sampler=sampler, drop_last=True)
    for epoch in range(epochs):
        sampler.set_epoch(epoch)
        for a, b, c in loader:
            opt.zero_grad()
            loss_of(model, a.to(device), b.to(device), c.to(device)).backward()
            opt.step()
    dist.destroy_process_group()


if __name__ == "__main__":
    main()
