import time

import deepspeed
import torch
import torch.distributed as dist
import torch.nn as nn
from torch.utils.data import TensorDataset

CONFIG = {
    "train_micro_batch_size_per_gpu": 8,
    "optimizer": {"type": "Adam", "params": {"lr": 1e-3}},
    "zero_optimization": {"stage": 2},
    "bf16": {"enabled": True},
}


def build():
    torch.manual_seed(0)
    net = nn.Sequential(nn.Linear(32, 128), nn.GELU(), nn.Linear(128, 32))
    gen = torch.Generator().manual_seed(0)
    data = TensorDataset(torch.randn(1024, 32, generator=gen))
    engine, _, loader, _ = deepspeed.initialize(model=net, model_parameters=net.parameters(), training_data=data, config=CONFIG)
    return engine, loader


def measured_epoch(engine, loader):
    spans = []
    try:
        for (x,) in loader:
            start = time.perf_counter()
            x = x.to(engine.device, torch.bfloat16)
            loss = (engine(x) - x).float().pow(2).mean()
            engine.backward(loss)
            engine.step()
            spans.append(time.perf_counter() - start)
    finally:
        everyone = [None] * dist.get_world_size()
        dist.all_gather_object(everyone, sum(spans))
    return everyone


def main():
    deepspeed.init_distributed()
    engine, loader = build()
    for epoch in range(3):
        loader.data_sampler.set_epoch(epoch)
        spans = measured_epoch(engine, loader)
        if dist.get_rank() == 0:
            print(epoch, ["%.2f" % s for s in spans])
    dist.destroy_process_group()


if __name__ == "__main__":
    main()
