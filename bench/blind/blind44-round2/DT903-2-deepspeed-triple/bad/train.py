import argparse

import deepspeed
import torch
from torch import nn
from torch.utils.data import TensorDataset


def main():
    ap = argparse.ArgumentParser()
    ap.add_argument("--local_rank", type=int, default=-1)
    ap = deepspeed.add_config_arguments(ap)
    args = ap.parse_args()
    torch.manual_seed(0)
    net = nn.Sequential(nn.Linear(64, 128), nn.GELU(), nn.Linear(128, 64))
    x = torch.randn(8192, 64, generator=torch.Generator().manual_seed(0))
    engine, _, loader, _ = deepspeed.initialize(
        args=args, model=net, model_parameters=net.parameters(), training_data=TensorDataset(x)
    )
    for (x,) in loader:
        x = x.to(engine.device, dtype=torch.bfloat16)
        loss = (engine(x) - x).square().mean()
        engine.backward(loss)
        engine.step()
    engine.save_checkpoint("out")


if __name__ == "__main__":
    main()
