import os

import torch
import torch.distributed as dist
from torch import nn
from torch.nn.parallel import DistributedDataParallel as DDP
from torch.utils.data import DataLoader, DistributedSampler, TensorDataset

from tracking import tracked


def rows():
    g = torch.Generator().manual_seed(8)
    x = torch.randn(6000, 32, generator=g)
    return TensorDataset(x, x[:, :4].argmax(dim=1))


def train(model, loader, optimizer, device, tracker, epochs):
    for epoch in range(epochs):
        loader.sampler.set_epoch(epoch)
        total = torch.zeros((), device=device)
        for x, y in loader:
            loss = nn.functional.cross_entropy(model(x.to(device)), y.to(device))
            optimizer.zero_grad(set_to_none=True)
            loss.backward()
            optimizer.step()
            total += loss.detach()
        dist.all_reduce(total)
        tracker.scalars({"loss": total.item() / len(loader) / dist.get_world_size()}, epoch)


def main():
    options = {"name": "baseline", "lr": 1e-3, "epochs": 6, "batch": 60}
    local = int(os.environ["LOCAL_RANK"])
    torch.cuda.set_device(local)
    device = torch.device("cuda", local)
    dist.init_process_group("nccl", device_id=device)
    main_rank = dist.get_rank() == 0
    torch.manual_seed(0)
    data = rows()
    loader = DataLoader(data, options["batch"], sampler=DistributedSampler(data, drop_last=True), drop_last=True)
    net = nn.Sequential(nn.Linear(32, 64), nn.ReLU(), nn.Linear(64, 4)).to(device)
    model = DDP(net, device_ids=[local])
    optimizer = torch.optim.Adam(model.parameters(), lr=options["lr"])
    with tracked("corners", options, main_rank) as tracker:
        train(model, loader, optimizer, device, tracker, options["epochs"])
        if main_rank:
            torch.save(net.state_dict(), "corners.pt")
        tracker.artifact("corners.pt")
    dist.destroy_process_group()


if __name__ == "__main__":
    main()
