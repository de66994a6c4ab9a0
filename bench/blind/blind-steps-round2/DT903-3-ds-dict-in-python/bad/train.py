import argparse

import deepspeed
import torch
from torch import nn
from torch.utils.data import TensorDataset

MICRO = 8
ACCUMULATION = 5


def engine_config(lr: float, stage: int) -> dict:
    return {
        "train_batch_size": 96,
        "train_micro_batch_size_per_gpu": MICRO,
        "gradient_accumulation_steps": ACCUMULATION,
        "optimizer": {"type": "AdamW", "params": {"lr": lr}},
        "zero_optimization": {"stage": stage},
        "bf16": {"enabled": True},
    }


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--lr", type=float, default=1e-4)
    parser.add_argument("--stage", type=int, default=1)
    parser.add_argument("--local_rank", type=int, default=-1)
    args = parser.parse_args()
    deepspeed.init_distributed()
    torch.manual_seed(0)
    net = nn.Sequential(nn.Linear(32, 64), nn.ReLU(), nn.Linear(64, 4))
    g = torch.Generator().manual_seed(0)
    data = TensorDataset(torch.randn(4096, 32, generator=g), torch.randint(0, 4, (4096,), generator=g))
    engine, _, loader, _ = deepspeed.initialize(
        model=net, model_parameters=net.parameters(), training_data=data, config=engine_config(args.lr, args.stage)
    )
    for x, y in loader:
        loss = nn.functional.cross_entropy(engine(x.to(engine.device).bfloat16()), y.to(engine.device))
        engine.backward(loss)
        engine.step()
    engine.save_checkpoint("out")


if __name__ == "__main__":
    main()
