import os

import torch
import torch.distributed as dist
from torch import nn

from sharded import ShardedTrainer


def main():
    torch.cuda.set_device(int(os.environ["LOCAL_RANK"]))
    dist.init_process_group("nccl")
    torch.manual_seed(0)
    trainer = ShardedTrainer(nn.Sequential(nn.Linear(32, 64), nn.ReLU(), nn.Linear(64, 32)))
    noise = torch.Generator(device="cuda").manual_seed(dist.get_rank())
    for _ in range(100):
        trainer.step(torch.randn(8, 32, generator=noise, device="cuda"))
    dist.destroy_process_group()


if __name__ == "__main__":
    main()
