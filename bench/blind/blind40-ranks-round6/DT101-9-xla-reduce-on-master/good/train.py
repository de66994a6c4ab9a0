import torch
import torch.nn as nn
import torch_xla.core.xla_model as xm
import torch_xla.distributed.parallel_loader as pl
import torch_xla.distributed.xla_multiprocessing as xmp
from torch.utils.data import DataLoader, DistributedSampler, TensorDataset

FLAGS = {"epochs": 3, "batch": 64, "lr": 1e-3}


def build_loader(flags):
    x = torch.randn(4096, 20, generator=torch.Generator().manual_seed(0))
    data = TensorDataset(x, x[:, :5].argmax(1))
    sampler = DistributedSampler(data, num_replicas=xm.xrt_world_size(), rank=xm.get_ordinal(), drop_last=True)
    return DataLoader(data, batch_size=flags["batch"], sampler=sampler, drop_last=True), sampler


class Progress:
    def __init__(self, every):
        self.every = every

    def show(self, epoch, step, loss):
        if step % self.every:
            return
        mean = xm.mesh_reduce("loss", loss.item(), lambda values: sum(values) / len(values))
        if xm.is_master_ordinal():
            print(f"{epoch}.{step} loss {mean:.4f}")


def _mp_fn(index, flags):
    torch.manual_seed(1)
    device = xm.xla_device()
    loader, sampler = build_loader(flags)
    model = nn.Sequential(nn.Linear(20, 80), nn.ReLU(), nn.Linear(80, 5)).to(device)
    opt = torch.optim.AdamW(model.parameters(), lr=flags["lr"])
    progress = Progress(20)
    for epoch in range(flags["epochs"]):
        sampler.set_epoch(epoch)
        for step, (x, y) in enumerate(pl.MpDeviceLoader(loader, device)):
            opt.zero_grad()
            loss = nn.functional.cross_entropy(model(x), y)
            loss.backward()
            xm.optimizer_step(opt)
            progress.show(epoch, step, loss)
    xm.save(model.state_dict(), "xla.pt")


if __name__ == "__main__":
    xmp.spawn(_mp_fn, args=(FLAGS,))
