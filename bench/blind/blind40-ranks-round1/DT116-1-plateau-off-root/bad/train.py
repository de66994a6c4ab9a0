import os
from collections.abc import Iterator

import torch
import torch.distributed as dist
import torch.nn as nn
import torch.nn.functional as F
from torch.nn.parallel import DistributedDataParallel as DDP
from torch.utils.data import DataLoader, DistributedSampler, TensorDataset


def env_device():
    if torch.cuda.is_available():
        local_rank = int(os.environ["LOCAL_RANK"])
        torch.cuda.set_device(local_rank)
        return torch.device("cuda", local_rank), "nccl"
    return torch.device("cpu"), "gloo"


def sine(n: int, seed: int) -> TensorDataset:
    g = torch.Generator().manual_seed(seed)
    x = 6 * torch.rand(n, 1, generator=g) - 3
    return TensorDataset(x, torch.sin(x))


class Validator:
    def __init__(self, loader, device):
        self.loader, self.device = loader, device

    def _losses(self, net) -> Iterator[torch.Tensor]:
        with torch.inference_mode():
            for x, y in self.loader:
                yield F.mse_loss(net(x.to(self.device)), y.to(self.device), reduction="sum")

    def __call__(self, net) -> float:
        net.eval()
        summed = torch.stack([*self._losses(net)]).sum().clone()
        net.train()
        dist.reduce(summed, dst=0)
        return summed.item() / len(self.loader.dataset)


def main(epochs=12):
    device, backend = env_device()
    dist.init_process_group(backend)
    torch.manual_seed(5)
    net = nn.Sequential(nn.Linear(1, 64), nn.Tanh(), nn.Linear(64, 1)).to(device)
    model = DDP(net, device_ids=None if device.type == "cpu" else [device.index])
    opt = torch.optim.SGD(model.parameters(), lr=0.1)
    plateau = torch.optim.lr_scheduler.ReduceLROnPlateau(opt, patience=1)
    train_set, val_set = sine(1024, 1), sine(256, 2)
    sampler = DistributedSampler(train_set, drop_last=True)
    loader = DataLoader(train_set, batch_size=32, sampler=sampler, drop_last=True)
    validator = Validator(DataLoader(val_set, batch_size=64, sampler=DistributedSampler(val_set, shuffle=False)), device)
    for epoch in range(epochs):
        sampler.set_epoch(epoch)
        for x, y in loader:
            opt.zero_grad()
            F.mse_loss(model(x.to(device)), y.to(device)).backward()
            opt.step()
        value = validator(net)
        plateau.step(value)
        if dist.get_rank() == 0:
            print(f"epoch {epoch} val {value:.5f} lr {opt.param_groups[0]['lr']:.2e}")
    dist.destroy_process_group()


if __name__ == "__main__":
    main()
