import argparse

import deepspeed
import torch
from torch import nn

from proxy import OnlyLead


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--local_rank", type=int, default=-1)
    parser.add_argument("--out", default="ckpt")
    args = parser.parse_args()
    deepspeed.init_distributed()
    torch.manual_seed(0)
    net = nn.Linear(32, 32)
    config = {
        "train_micro_batch_size_per_gpu": 8,
        "optimizer": {"type": "AdamW", "params": {"lr": 1e-3}},
        "zero_optimization": {"stage": 2},
        "bf16": {"enabled": True},
    }
    engine, _, _, _ = deepspeed.initialize(model=net, model_parameters=net.parameters(), config=config)
    outside = OnlyLead(engine, torch.distributed.get_rank() == 0)
    noise = torch.Generator(device=engine.device).manual_seed(torch.distributed.get_rank())
    for step in range(1000):
        x = torch.randn(8, 32, generator=noise, device=engine.device, dtype=torch.bfloat16)
        engine.backward(engine(x).float().square().mean())
        engine.step()
        if step % 250 == 249:
            outside.save_checkpoint(args.out, tag=f"step{step}")
            outside.say(f"saved {step}")


if __name__ == "__main__":
    main()
