import os

import torch
import torch.distributed as dist
import torch.nn.functional as F
from torch.nn.parallel import DistributedDataParallel
from torch.utils.data import DataLoader, DistributedSampler, TensorDataset

from finetune.build import build_model


def data():
    g = torch.Generator().manual_seed(9)
    x = torch.randn(512, 32, generator=g)
    return TensorDataset(x, x[:, :4].argmax(1))


def main():
    cuda = torch.cuda.is_available()
    device = torch.device("cuda", int(os.environ["LOCAL_RANK"])) if cuda else torch.device("cpu")
    if cuda:
        torch.cuda.set_device(device)
    dist.init_process_group("nccl" if cuda else "gloo")
    rank = dist.get_rank()
    model = build_model("base.pt", rank).to(device)
    model = DistributedDataParallel(model, device_ids=[device.index] if cuda else None)
    opt = torch.optim.AdamW(model.parameters(), lr=1e-3)
    ds = data()
    sampler = DistributedSampler(ds, drop_last=True)
    loader = DataLoader(ds, batch_size=32, sampler=sampler, drop_last=True)
    for epoch in range(2):
        sampler.set_epoch(epoch)
        for x, y in loader:
            opt.zero_grad()
            F.cross_entropy(model(x.to(device)), y.to(device)).backward()
            opt.step()
    if rank == 0:
        torch.save(model.module.state_dict(), "adapted.pt")
    dist.destroy_process_group()


if __name__ == "__main__":
    main()
