import os
import urllib.request

import horovod.torch as hvd
import torch
import torch.nn as nn
from torch.utils.data import DataLoader, TensorDataset
from torch.utils.data.distributed import DistributedSampler

URL = "https://example.org/table.pt"


def wait(name):
    hvd.allreduce(torch.zeros(1), name=name)


def table(path="/shared/table.pt"):
    if hvd.rank() != 0:
        wait("table")
    if hvd.rank() == 0:
        if not os.path.exists(path):
            urllib.request.urlretrieve(URL, path + ".part")
            os.replace(path + ".part", path)
        wait("table")
    return torch.load(path, map_location="cpu")


def main():
    hvd.init()
    torch.manual_seed(0)
    rows = table()
    data = TensorDataset(rows["x"], rows["y"])
    sampler = DistributedSampler(data, num_replicas=hvd.size(), rank=hvd.rank(), drop_last=True)
    loader = DataLoader(data, batch_size=32, sampler=sampler, drop_last=True)
    model = nn.Linear(rows["x"].shape[1], 1)
    opt = hvd.DistributedOptimizer(
        torch.optim.SGD(model.parameters(), lr=0.01), named_parameters=model.named_parameters()
    )
    hvd.broadcast_parameters(model.state_dict(), root_rank=0)
    for epoch in range(3):
        sampler.set_epoch(epoch)
        for x, y in loader:
            opt.zero_grad()
            nn.functional.mse_loss(model(x), y).backward()
            opt.step()
    if hvd.rank() == 0:
        torch.save(model.state_dict(), "linear.pt")
    hvd.shutdown()


if __name__ == "__main__":
    main()
