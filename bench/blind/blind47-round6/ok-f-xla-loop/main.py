import torch
import torch_xla
import torch_xla.core.xla_model as xm
import torch_xla.distributed.parallel_loader as pl
import torch_xla.runtime as xr
from torch import nn
from torch.utils.data import DataLoader, DistributedSampler, TensorDataset


def work(index):
    torch.manual_seed(0)
    device = torch_xla.device()
    x = torch.randn(1024, 4)
    data = TensorDataset(x, x.sum(1, keepdim=True))
    sampler = DistributedSampler(data, num_replicas=xr.world_size(), rank=xr.global_ordinal(), shuffle=True)
    loader = DataLoader(data, 16, sampler=sampler, drop_last=True)
    model = nn.Linear(4, 1).to(device)
    optimizer = torch.optim.SGD(model.parameters(), 0.1)
    for epoch in range(2):
        sampler.set_epoch(epoch)
        for a, b in pl.MpDeviceLoader(loader, device):
            optimizer.zero_grad()
            nn.functional.mse_loss(model(a), b).backward()
            xm.optimizer_step(optimizer)
    xm.save(model.state_dict(), "linear.pt")


if __name__ == "__main__":
    torch_xla.launch(work)
