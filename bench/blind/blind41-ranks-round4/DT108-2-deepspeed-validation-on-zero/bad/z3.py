import deepspeed
import torch
import torch.distributed as dist
import torch.nn as nn
import torch.nn.functional as F
from torch.utils.data import TensorDataset

CONFIG = {
    "train_micro_batch_size_per_gpu": 8,
    "optimizer": {"type": "AdamW", "params": {"lr": 1e-4}},
    "zero_optimization": {"stage": 3},
}


@torch.no_grad()
def validate(engine, x, y):
    engine.eval()
    loss = F.cross_entropy(engine(x.to(engine.device)), y.to(engine.device))
    engine.train()
    return loss.item()


def main():
    deepspeed.init_distributed()
    torch.manual_seed(0)
    net = nn.Sequential(nn.Linear(40, 400), nn.ReLU(), nn.Linear(400, 6))
    gen = torch.Generator().manual_seed(0)
    x, y = torch.randn(1320, 40, generator=gen), torch.randint(0, 6, (1320,), generator=gen)
    engine, _, loader, _ = deepspeed.initialize(
        model=net, model_parameters=net.parameters(), training_data=TensorDataset(x[:1280], y[:1280]), config=CONFIG
    )
    for epoch in range(2):
        loader.data_sampler.set_epoch(epoch)
        for a, b in loader:
            engine.backward(F.cross_entropy(engine(a.to(engine.device)), b.to(engine.device)))
            engine.step()
        if dist.get_rank() == 0:
            print(epoch, validate(engine, x[1280:], y[1280:]))
    dist.destroy_process_group()


if __name__ == "__main__":
    main()
