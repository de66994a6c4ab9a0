import json

import horovod.torch as hvd
import torch
import torch.nn as nn
from torch.utils.data import DataLoader, TensorDataset
from torch.utils.data.distributed import DistributedSampler

from once import only_once


def read_config(path):
    config = read(path)
    return hvd.broadcast_object(config, root_rank=0)


@only_once
def read(path):
    with open(path) as handle:
        return json.load(handle)


def main():
    hvd.init()
    config = read_config("config.json") or {"lr": 0.1, "epochs": 2}
    torch.manual_seed(0)
    model = nn.Linear(6, 2)
    opt = hvd.DistributedOptimizer(
        torch.optim.SGD(model.parameters(), lr=config["lr"]), named_parameters=model.named_parameters()
    )
    hvd.broadcast_parameters(model.state_dict(), root_rank=0)
    gen = torch.Generator().manual_seed(0)
    data = TensorDataset(torch.randn(600, 6, generator=gen), torch.randint(0, 2, (600,), generator=gen))
    sampler = DistributedSampler(data, num_replicas=hvd.size(), rank=hvd.rank(), drop_last=True)
    loader = DataLoader(data, batch_size=10, sampler=sampler, drop_last=True)
    for epoch in range(config["epochs"]):
        sampler.set_epoch(epoch)
        for x, y in loader:
            opt.zero_grad()
            nn.functional.cross_entropy(model(x), y).backward()
            opt.step()
    hvd.shutdown()


if __name__ == "__main__":
    main()
