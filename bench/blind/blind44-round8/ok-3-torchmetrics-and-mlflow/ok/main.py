import os

import torch
import torch.distributed as dist
from torch import nn
from torch.nn.parallel import DistributedDataParallel as DDP
from torch.utils.data import DataLoader, DistributedSampler, TensorDataset

from track.metrics import metrics
from track.run import run


def data(n, seed):
    x = torch.randn(n, 8, generator=torch.Generator().manual_seed(seed))
    return TensorDataset(x, x[:, :4].argmax(1))


def main(epochs=3):
    cuda = torch.cuda.is_available()
    device = torch.device("cuda", int(os.environ["LOCAL_RANK"])) if cuda else torch.device("cpu")
    if cuda:
        torch.cuda.set_device(device)
    dist.init_process_group("nccl" if cuda else "gloo")
    torch.manual_seed(0)
    net = nn.Linear(8, 4).to(device)
    model = DDP(net, device_ids=[device.index] if cuda else None)
    opt = torch.optim.SGD(model.parameters(), lr=0.1)
    train, val = data(1024, 0), data(256, 1)
    sampler = DistributedSampler(train, drop_last=True)
    loader = DataLoader(train, 32, sampler=sampler, drop_last=True)
    val_loader = DataLoader(val, 32, sampler=DistributedSampler(val, shuffle=False))
    scores = metrics(4, device)
    with run(dist.get_rank() == 0, "linear") as log:
        for epoch in range(epochs):
            sampler.set_epoch(epoch)
            for x, y in loader:
                opt.zero_grad()
                nn.functional.cross_entropy(model(x.to(device)), y.to(device)).backward()
                opt.step()
            with torch.no_grad():
                for x, y in val_loader:
                    scores.update(net(x.to(device)), y.to(device))
            log({name: value.item() for name, value in scores.compute().items()}, epoch)
            scores.reset()
    dist.destroy_process_group()


if __name__ == "__main__":
    main()
