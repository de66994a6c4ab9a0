import os

import torch
import torch.nn as nn
import torch.nn.functional as F
import torch_xla.core.xla_model as xm
import torch_xla.distributed.parallel_loader as pl
import torch_xla.distributed.xla_multiprocessing as xmp
from torch.utils.data import DataLoader, TensorDataset
from torch.utils.data.distributed import DistributedSampler


def stop_now(value, best, wait):
    mean = xm.mesh_reduce("val_loss", value, lambda values: sum(values) / len(values))
    if mean < best - 1e-4:
        return mean, 0
    return best, wait + 1


def worker(index, opts):
    device = xm.xla_device()
    torch.manual_seed(opts["seed"])
    model = nn.Sequential(nn.Linear(12, 32), nn.ReLU(), nn.Linear(32, 1)).to(device)
    xm.broadcast_master_param(model)
    optimizer = torch.optim.Adam(model.parameters(), lr=1e-3)
    gen = torch.Generator().manual_seed(0)
    x = torch.randn(2048, 12, generator=gen)
    data = TensorDataset(x, x.pow(2).sum(1, keepdim=True))
    sampler = DistributedSampler(data, num_replicas=xm.xrt_world_size(), rank=xm.get_ordinal(), drop_last=True)
    loader = DataLoader(data, batch_size=64, sampler=sampler, drop_last=True)
    best, wait = float("inf"), 0
    for epoch in range(opts["epochs"]):
        sampler.set_epoch(epoch)
        for features, target in pl.MpDeviceLoader(loader, device):
            optimizer.zero_grad()
            loss = F.mse_loss(model(features), target)
            loss.backward()
            xm.optimizer_step(optimizer)
        best, wait = stop_now(loss.item(), best, wait)
        if wait >= 3:
            break
        torch.save({"epoch": epoch}, f"/tmp/progress-{xm.get_ordinal()}.pt")
        if xm.is_master_ordinal(local=False):
            os.makedirs("out", exist_ok=True)
            torch.save({k: v.cpu() for k, v in model.state_dict().items()}, "out/model.pt")
        xm.rendezvous("saved")


if __name__ == "__main__":
    xmp.spawn(worker, args=({"seed": 1, "epochs": 10},))
