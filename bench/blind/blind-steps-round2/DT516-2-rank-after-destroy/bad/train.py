import os
from contextlib import contextmanager

import torch
import torch.distributed as dist
from torch import nn
from torch.nn.parallel import DistributedDataParallel
from torch.utils.data import DataLoader, DistributedSampler, TensorDataset


@contextmanager
def distributed():
    cuda = torch.cuda.is_available()
    local = int(os.environ["LOCAL_RANK"])
    if cuda:
        torch.cuda.set_device(local)
    dist.init_process_group("nccl" if cuda else "gloo")
    try:
        yield torch.device("cuda", local) if cuda else torch.device("cpu")
    finally:
        dist.destroy_process_group()


def fit(model, device, epochs=2):
    g = torch.Generator().manual_seed(0)
    data = TensorDataset(torch.randn(640, 14, generator=g), torch.randn(640, 2, generator=g))
    sampler = DistributedSampler(data, drop_last=True)
    loader = DataLoader(data, batch_size=32, sampler=sampler, drop_last=True)
    optimizer = torch.optim.AdamW(model.parameters(), lr=1e-3)
    for epoch in range(epochs):
        sampler.set_epoch(epoch)
        for x, y in loader:
            optimizer.zero_grad()
            nn.functional.mse_loss(model(x.to(device)), y.to(device)).backward()
            optimizer.step()


def export(net, path):
    if dist.get_rank() == 0:
        torch.save(net.state_dict(), path)


def main():
    with distributed() as device:
        torch.manual_seed(0)
        net = nn.Sequential(nn.Linear(14, 28), nn.ReLU(), nn.Linear(28, 2)).to(device)
        fit(DistributedDataParallel(net, device_ids=None if device.type == "cpu" else [device.index]), device)
    export(net, "model.pt")


if __name__ == "__main__":
    main()
