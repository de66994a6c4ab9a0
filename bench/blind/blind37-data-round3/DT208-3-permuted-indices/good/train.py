import os
import random

import deepspeed
import numpy as np
import torch
import torch.distributed as dist
import torch.nn as nn
from torch.utils.data import DataLoader, DistributedSampler, Subset, TensorDataset

CONFIG = {
    "train_micro_batch_size_per_gpu": 16,
    "optimizer": {"type": "Adam", "params": {"lr": 3e-4}},
    "zero_optimization": {"stage": 1},
}


def set_seeds(seed):
    random.seed(seed)
    np.random.seed(seed)
    torch.manual_seed(seed)


def split(data, share, seed):
    count = int(len(data) * share)
    order = np.random.default_rng(seed).permutation(len(data))
    return Subset(data, order[count:]), Subset(data, order[:count])


class Model(nn.Module):
    def __init__(self):
        super().__init__()
        self.net = nn.Sequential(nn.Linear(40, 128), nn.Dropout(0.2), nn.ReLU(), nn.Linear(128, 1))

    def forward(self, x, y):
        return nn.functional.mse_loss(self.net(x), y)


@torch.no_grad()
def validate(engine, loader):
    engine.eval()
    sums = torch.zeros(2, device=engine.device)
    for x, y in loader:
        sums += torch.stack([engine(x.to(engine.device), y.to(engine.device)) * len(x), torch.tensor(float(len(x)), device=engine.device)])
    dist.all_reduce(sums)
    engine.train()
    return (sums[0] / sums[1]).item()


def main(seed=70, epochs=6):
    torch.cuda.set_device(int(os.environ["LOCAL_RANK"]))
    deepspeed.init_distributed("nccl")
    set_seeds(seed + dist.get_rank())
    blob = torch.load("/shared/tables/soil.pt", map_location="cpu")
    train, held = split(TensorDataset(blob["x"], blob["y"]), 0.1, seed)
    sampler = DistributedSampler(train, seed=seed, drop_last=True)
    loader = DataLoader(train, batch_size=16, sampler=sampler, drop_last=True)
    held_loader = DataLoader(held, batch_size=64, sampler=DistributedSampler(held, shuffle=False))
    model = Model()
    engine, *_ = deepspeed.initialize(model=model, model_parameters=model.parameters(), config=CONFIG)
    for epoch in range(epochs):
        sampler.set_epoch(epoch)
        for x, y in loader:
            engine.backward(engine(x.to(engine.device), y.to(engine.device)))
            engine.step()
        mse = validate(engine, held_loader)
        if dist.get_rank() == 0:
            print(epoch, mse)
        engine.save_checkpoint("/shared/runs/soil", tag=f"epoch{epoch}")
    dist.destroy_process_group()


if __name__ == "__main__":
    main()
