import argparse

import deepspeed
import torch
from torch import nn
from torch.utils.data import TensorDataset


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--epochs", type=int, default=1)
    parser.add_argument("--local_rank", type=int, default=-1)
    deepspeed.add_config_arguments(parser)
    args = parser.parse_args()
    deepspeed.init_distributed()
    torch.manual_seed(0)
    net = nn.Sequential(nn.Linear(128, 256), nn.ReLU(), nn.Linear(256, 2))
    g = torch.Generator().manual_seed(1)
    data = TensorDataset(torch.randn(8192, 128, generator=g), torch.randint(0, 2, (8192,), generator=g))
    engine, _, loader, _ = deepspeed.initialize(args=args, model=net, model_parameters=net.parameters(), training_data=data)
    for epoch in range(args.epochs):
        loader.data_sampler.set_epoch(epoch)
        for x, y in loader:
            loss = nn.functional.cross_entropy(engine(x.to(engine.device).bfloat16()), y.to(engine.device))
            engine.backward(loss)
            engine.step()
    engine.save_checkpoint("out")


if __name__ == "__main__":
    main()
