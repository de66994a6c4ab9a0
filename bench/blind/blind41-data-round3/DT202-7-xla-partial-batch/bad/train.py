import torch
import torch.nn.functional as F
import torch_xla.core.xla_model as xm
import torch_xla.distributed.parallel_loader as pl
import torch_xla.distributed.xla_multiprocessing as xmp
from torch import nn
from torch.utils.data import DataLoader, DistributedSampler, TensorDataset


def run(index, flags):
    device = xm.xla_device()
    torch.manual_seed(flags["seed"])
    g = torch.Generator().manual_seed(0)
    data = TensorDataset(torch.randn(50_005, 32, generator=g), torch.randint(0, 4, (50_005,), generator=g))
    sampler = DistributedSampler(data, num_replicas=xm.xrt_world_size(), rank=xm.get_ordinal(), shuffle=True)
    loader = DataLoader(data, batch_size=flags["batch"], sampler=sampler, num_workers=2)
    model = nn.Sequential(nn.Linear(32, 256), nn.ReLU(), nn.Linear(256, 4)).to(device)
    optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
    for epoch in range(flags["epochs"]):
        sampler.set_epoch(epoch)
        for x, y in pl.MpDeviceLoader(loader, device):
            optimizer.zero_grad()
            F.cross_entropy(model(x), y).backward()
            xm.optimizer_step(optimizer)
        xm.master_print(f"epoch {epoch} done")


if __name__ == "__main__":
    xmp.spawn(run, args=({"seed": 1, "batch": 128, "epochs": 3},))
