import argparse

import deepspeed
import torch
from torch import nn


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--local_rank", type=int, default=-1)
    deepspeed.add_config_arguments(parser)
    args = parser.parse_args()
    torch.manual_seed(0)
    net = nn.Linear(16, 16)
    engine, _, _, _ = deepspeed.initialize(args=args, model=net, model_parameters=net.parameters())
    noise = torch.Generator(device=engine.device).manual_seed(torch.distributed.get_rank())
    for _ in range(100):
        x = torch.randn(8, 16, generator=noise, device=engine.device, dtype=torch.bfloat16)
        engine.backward(engine(x).float().square().mean())
        engine.step()


if __name__ == "__main__":
    main()
