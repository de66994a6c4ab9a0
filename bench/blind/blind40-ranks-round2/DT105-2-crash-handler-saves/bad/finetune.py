import argparse
import os

import deepspeed
import torch
import torch.distributed as dist
import torch.nn as nn
from torch.utils.data import TensorDataset

CONFIG = {
    "train_micro_batch_size_per_gpu": 8,
    "gradient_accumulation_steps": 2,
    "bf16": {"enabled": True},
    "zero_optimization": {"stage": 2},
    "optimizer": {"type": "AdamW", "params": {"lr": 1e-4}},
    "gradient_clipping": 1.0,
}


class Block(nn.Module):
    def __init__(self, width):
        super().__init__()
        self.norm, self.up, self.down = nn.LayerNorm(width), nn.Linear(width, 4 * width), nn.Linear(4 * width, width)

    def forward(self, x):
        return x + self.down(nn.functional.gelu(self.up(self.norm(x))))


def corpus(n=2048, width=64):
    g = torch.Generator().manual_seed(44)
    x = torch.randn(n, width, generator=g)
    return TensorDataset(x, x.roll(1, 0))


class Session:
    def __init__(self, args):
        self.args = args
        torch.manual_seed(args.seed)
        net = nn.Sequential(*[Block(64) for _ in range(args.depth)])
        self.engine, _, self.loader, _ = deepspeed.initialize(
            model=net, model_parameters=net.parameters(), training_data=corpus(), config=CONFIG
        )

    def save(self, tag):
        self.engine.save_checkpoint(self.args.out, tag=tag)

    def epoch(self, number):
        self.loader.data_sampler.set_epoch(number)
        for x, y in self.loader:
            x, y = (t.to(self.engine.device, torch.bfloat16) for t in (x, y))
            loss = nn.functional.mse_loss(self.engine(x), y)
            self.engine.backward(loss)
            self.engine.step()

    def run(self):
        try:
            for number in range(self.args.epochs):
                self.epoch(number)
        except Exception:
            self.save("crashed")
            raise
        self.save("final")


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--out", default="ckpt")
    parser.add_argument("--depth", type=int, default=4)
    parser.add_argument("--epochs", type=int, default=3)
    parser.add_argument("--seed", type=int, default=1234)
    args = parser.parse_args()
    torch.cuda.set_device(int(os.environ["LOCAL_RANK"]))
    deepspeed.init_distributed("nccl")
    Session(args).run()
    dist.destroy_process_group()


if __name__ == "__main__":
    main()
