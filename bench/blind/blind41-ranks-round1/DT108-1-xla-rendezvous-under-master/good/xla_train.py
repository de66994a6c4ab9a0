import os

import torch
import torch.nn as nn
import torch.nn.functional as F
import torch_xla.core.xla_model as xm
import torch_xla.distributed.parallel_loader as pl
import torch_xla.distributed.xla_multiprocessing as xmp
from torch.utils.data import DataLoader, TensorDataset
from torch.utils.data.distributed import DistributedSampler

FLAGS = {"epochs": 3, "batch": 32, "lr": 0.05, "folder": "ckpt"}


def dataset():
    gen = torch.Generator().manual_seed(1234)
    return TensorDataset(torch.rand(2048, 28, generator=gen), torch.randint(0, 10, (2048,), generator=gen))


def checkpoint(model, epoch):
    path = os.path.join(FLAGS["folder"], f"epoch-{epoch}.pt")
    state = {name: tensor.cpu() for name, tensor in model.state_dict().items()}
    if xm.is_master_ordinal(local=False):
        os.makedirs(FLAGS["folder"], exist_ok=True)
        torch.save(state, path)
    xm.rendezvous(f"checkpoint-{epoch}")


def worker(index):
    torch.manual_seed(0)
    device = xm.xla_device()
    model = nn.Sequential(nn.Linear(28, 64), nn.ReLU(), nn.Linear(64, 10)).to(device)
    xm.broadcast_master_param(model)
    optimizer = torch.optim.SGD(model.parameters(), lr=FLAGS["lr"])
    data = dataset()
    sampler = DistributedSampler(data, num_replicas=xm.xrt_world_size(), rank=xm.get_ordinal(), drop_last=True)
    loader = DataLoader(data, batch_size=FLAGS["batch"], sampler=sampler, drop_last=True)
    for epoch in range(FLAGS["epochs"]):
        sampler.set_epoch(epoch)
        for x, y in pl.MpDeviceLoader(loader, device):
            optimizer.zero_grad()
            loss = F.cross_entropy(model(x), y)
            loss.backward()
            xm.optimizer_step(optimizer)
        checkpoint(model, epoch)
        xm.master_print(f"epoch {epoch} done")


if __name__ == "__main__":
    xmp.spawn(worker, args=())
