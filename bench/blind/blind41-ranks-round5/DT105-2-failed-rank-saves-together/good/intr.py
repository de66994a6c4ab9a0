import deepspeed
import torch
import torch.distributed as dist
import torch.nn as nn
from torch.utils.data import TensorDataset

CONFIG = {
    "train_micro_batch_size_per_gpu": 16,
    "optimizer": {"type": "Adam", "params": {"lr": 1e-3}},
    "zero_optimization": {"stage": 3},
}


def epochs(engine, loader, count):
    for epoch in range(count):
        loader.data_sampler.set_epoch(epoch)
        for (x,) in loader:
            x = x.to(engine.device)
            loss = (engine(x) - x).abs().mean()
            engine.backward(loss)
            engine.step()


def main():
    deepspeed.init_distributed()
    torch.manual_seed(0)
    net = nn.Sequential(nn.Linear(24, 48), nn.ReLU(), nn.Linear(48, 24))
    gen = torch.Generator().manual_seed(0)
    data = TensorDataset(torch.randn(1600, 24, generator=gen))
    engine, _, loader, _ = deepspeed.initialize(model=net, model_parameters=net.parameters(), training_data=data, config=CONFIG)
    epochs(engine, loader, 20)
    engine.save_checkpoint("done")
    dist.destroy_process_group()


if __name__ == "__main__":
    main()
