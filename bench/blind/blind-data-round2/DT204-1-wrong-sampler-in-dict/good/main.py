import os

import torch
import torch.distributed as dist
import torch.nn as nn
from torch.nn.parallel import DistributedDataParallel as DDP
from torch.utils.data import DataLoader, DistributedSampler, TensorDataset

from engine import Engine


def start():
    gpu = torch.cuda.is_available()
    if gpu:
        torch.cuda.set_device(int(os.environ["LOCAL_RANK"]))
    dist.init_process_group("nccl" if gpu else "gloo")
    return torch.device("cuda", torch.cuda.current_device()) if gpu else torch.device("cpu")


def datasets():
    g = torch.Generator().manual_seed(3)
    x = torch.randn(1000, 8, generator=g)
    y = (x[:, 0] > x[:, 1]).long()
    return {"train": TensorDataset(x[:800], y[:800]), "valid": TensorDataset(x[800:], y[800:])}


def main():
    device = start()
    torch.manual_seed(0)
    sets = datasets()
    samplers = {name: DistributedSampler(data, shuffle=name == "train") for name, data in sets.items()}
    loaders = {name: DataLoader(data, 20, sampler=samplers[name]) for name, data in sets.items()}
    model = DDP(nn.Linear(8, 2).to(device))
    engine = Engine(model, torch.optim.SGD(model.parameters(), lr=0.1), loaders, device)

    @engine.on("epoch_start")
    def reshuffle(engine):
        samplers["train"].set_epoch(engine.epoch)

    @engine.on("epoch_end")
    def report(engine):
        if dist.get_rank() == 0:
            print(engine.epoch, engine.accuracy)

    engine.run(epochs=3)
    dist.destroy_process_group()


if __name__ == "__main__":
    main()
