import os

import deepspeed
import torch
import torch.distributed as dist
import torch.nn as nn
from torch.utils.data import TensorDataset

from tracking import Tracker

CONFIG = {
    "train_micro_batch_size_per_gpu": 32,
    "gradient_accumulation_steps": 1,
    "optimizer": {"type": "AdamW", "params": {"lr": 1e-3}},
    "bf16": {"enabled": True},
    "zero_optimization": {"stage": 2},
}


class Net(nn.Module):
    def __init__(self):
        super().__init__()
        self.layers = nn.Sequential(nn.Linear(128, 512), nn.GELU(), nn.Linear(512, 128))
        self.loss = nn.MSELoss()

    def forward(self, x, y):
        return self.loss(self.layers(x), y)


def data(n=10_240):
    g = torch.Generator().manual_seed(6)
    x = torch.randn(n, 128, generator=g)
    return TensorDataset(x, x.flip(1))


def main():
    torch.cuda.set_device(int(os.environ["LOCAL_RANK"]))
    deepspeed.init_distributed("nccl")
    torch.manual_seed(0)
    net = Net()
    engine, _, loader, _ = deepspeed.initialize(model=net, model_parameters=net.parameters(), training_data=data(), config=CONFIG)
    tracker = Tracker("autoenc", {"lr": 1e-3, "stage": 2}, dist.get_rank())
    for epoch in range(5):
        loader.data_sampler.set_epoch(epoch)
        total = torch.zeros((), device=engine.device)
        for x, y in loader:
            loss = engine(x.to(engine.device).bfloat16(), y.to(engine.device).bfloat16())
            engine.backward(loss)
            engine.step()
            total += loss.detach().float()
        dist.all_reduce(total)
        tracker.metric(epoch, loss=total.item() / (len(loader) * dist.get_world_size()))
        engine.save_checkpoint("ckpt", tag=f"epoch{epoch}")
    tracker.close()
    dist.destroy_process_group()


if __name__ == "__main__":
    main()
