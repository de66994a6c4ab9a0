import torch
import torch.distributed as dist
from torch import nn
from torch.nn.parallel import DistributedDataParallel
from torch.utils.data import DataLoader, DistributedSampler, TensorDataset

from cluster import join, read_placement


def spectra(n: int = 8192, bins: int = 64) -> TensorDataset:
    g = torch.Generator().manual_seed(11)
    x = torch.rand(n, bins, generator=g)
    return TensorDataset(x, x.sum(1, keepdim=True))


def main(epochs: int = 3) -> None:
    place = read_placement()
    device = join(place)
    torch.manual_seed(5)
    net = nn.Sequential(nn.Linear(64, 128), nn.SiLU(), nn.Linear(128, 1)).to(device)
    model = DistributedDataParallel(net, device_ids=[device.index])
    opt = torch.optim.AdamW(model.parameters(), lr=3e-4)
    data = spectra()
    sampler = DistributedSampler(data, num_replicas=place.world_size, rank=place.rank, drop_last=True)
    loader = DataLoader(data, batch_size=64, sampler=sampler, num_workers=2, pin_memory=True, drop_last=True)
    for epoch in range(epochs):
        sampler.set_epoch(epoch)
        for x, y in loader:
            x, y = x.to(device, non_blocking=True), y.to(device, non_blocking=True)
            opt.zero_grad(set_to_none=True)
            nn.functional.mse_loss(model(x), y).backward()
            opt.step()
    if place.rank == 0:
        torch.save(net.state_dict(), "spectra.pt")
    dist.destroy_process_group()


if __name__ == "__main__":
    main()
