import os

import deepspeed
import torch
import torch.distributed as dist
import torch.nn as nn
from torch.utils.data import TensorDataset

CONFIG = {
    "train_micro_batch_size_per_gpu": 8,
    "optimizer": {"type": "Adam", "params": {"lr": 1e-3}},
    "zero_optimization": {"stage": 1},
}
OUT = "/shared/activations"


def main():
    deepspeed.init_distributed()
    torch.manual_seed(0)
    net = nn.Sequential(nn.Linear(16, 64), nn.ReLU(), nn.Linear(64, 16))
    gen = torch.Generator().manual_seed(0)
    data = TensorDataset(torch.randn(640, 16, generator=gen))
    engine, _, loader, _ = deepspeed.initialize(model=net, model_parameters=net.parameters(), training_data=data, config=CONFIG)
    for epoch in range(2):
        loader.data_sampler.set_epoch(epoch)
        for (x,) in loader:
            x = x.to(engine.device)
            loss = (engine(x) - x).pow(2).mean()
            engine.backward(loss)
            engine.step()
    if dist.get_rank() == 0:
        os.makedirs(OUT, exist_ok=True)
    dist.barrier()
    torch.save(x.cpu(), os.path.join(OUT, f"last-{dist.get_rank():03d}.pt"))
    dist.barrier()
    dist.destroy_process_group()


if __name__ == "__main__":
    main()
