import deepspeed
import torch
import torch.distributed as dist
import torch.nn as nn
import torch.nn.functional as F
from torch.utils.data import TensorDataset

CONFIG = {
    "train_micro_batch_size_per_gpu": 16,
    "optimizer": {"type": "AdamW", "params": {"lr": 1e-4}},
    "zero_optimization": {"stage": 3},
    "bf16": {"enabled": True},
}


class Net(nn.Module):
    def __init__(self):
        super().__init__()
        self.body = nn.Sequential(nn.Linear(64, 512), nn.GELU(), nn.Linear(512, 64))
        self.head = nn.Linear(64, 4)

    def forward(self, x):
        return self.head(self.body(x))


def head_norm(engine):
    weight = engine.module.head.weight
    if dist.get_rank() == 0:
        with deepspeed.zero.GatheredParameters([weight]):
            print("norm of the head", weight.norm().item())


def main():
    deepspeed.init_distributed()
    torch.manual_seed(0)
    with deepspeed.zero.Init(config_dict_or_path=CONFIG):
        net = Net()
    gen = torch.Generator().manual_seed(0)
    data = TensorDataset(torch.randn(2048, 64, generator=gen), torch.randint(0, 4, (2048,), generator=gen))
    engine, _, loader, _ = deepspeed.initialize(model=net, model_parameters=net.parameters(), training_data=data, config=CONFIG)
    for epoch in range(2):
        loader.data_sampler.set_epoch(epoch)
        for x, y in loader:
            loss = F.cross_entropy(engine(x.to(engine.device, torch.bfloat16)), y.to(engine.device))
            engine.backward(loss)
            engine.step()
        head_norm(engine)
    dist.destroy_process_group()


if __name__ == "__main__":
    main()
