import argparse
import json

import deepspeed
import torch
import torch.distributed as dist
from torch import nn
from torch.utils.data import TensorDataset

CONFIG = {
    "train_micro_batch_size_per_gpu": 8,
    "gradient_accumulation_steps": 1,
    "optimizer": {"type": "AdamW", "params": {"lr": 1e-4}},
    "bf16": {"enabled": True},
    "zero_optimization": {"stage": 3, "stage3_gather_16bit_weights_on_model_save": True},
}


class Block(nn.Module):
    def __init__(self, width):
        super().__init__()
        self.a, self.b = nn.Linear(width, 2 * width), nn.Linear(2 * width, width)

    def forward(self, x):
        return x + self.b(torch.relu(self.a(x)))


def model(width=64, depth=4):
    return nn.Sequential(*[Block(width) for _ in range(depth)], nn.Linear(width, 8))


def corpus(n=1024, width=64):
    g = torch.Generator().manual_seed(55)
    x = torch.randn(n, width, generator=g)
    return TensorDataset(x, x[:, :8].argmax(1))


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--local_rank", type=int, default=-1)
    parser.add_argument("--epochs", type=int, default=1)
    parser.add_argument("--out", default="export")
    args = parser.parse_args()
    deepspeed.init_distributed()
    torch.manual_seed(0)
    net = model()
    engine, _, loader, _ = deepspeed.initialize(
        model=net, model_parameters=net.parameters(), training_data=corpus(), config=CONFIG
    )
    for epoch in range(args.epochs):
        loader.data_sampler.set_epoch(epoch)
        for x, y in loader:
            x = x.to(engine.device, torch.bfloat16)
            loss = nn.functional.cross_entropy(engine(x).float(), y.to(engine.device))
            engine.backward(loss)
            engine.step()
    engine.save_checkpoint(args.out, tag="last")
    if engine.global_rank == 0:
        engine.save_16bit_model(args.out, "weights.bin")
        with open(f"{args.out}/ds_config.json", "w") as out:
            json.dump(CONFIG, out)
    dist.barrier()
    dist.destroy_process_group()


if __name__ == "__main__":
    main()
