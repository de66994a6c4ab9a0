import argparse

import deepspeed
import torch
from torch import nn


class Pairs(torch.utils.data.Dataset):
    def __init__(self, path):
        self.x, self.y = torch.load(path, map_location="cpu")

    def __len__(self):
        return len(self.x)

    def __getitem__(self, index):
        return self.x[index], self.y[index]


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--local_rank", type=int, default=-1)
    parser.add_argument("--epochs", type=int, default=3)
    parser = deepspeed.add_config_arguments(parser)
    args = parser.parse_args()
    deepspeed.init_distributed()
    torch.manual_seed(0)
    model = nn.Sequential(nn.Linear(64, 256), nn.GELU(), nn.Linear(256, 1))
    engine, _, loader, _ = deepspeed.initialize(
        args=args, model=model, model_parameters=model.parameters(), training_data=Pairs("pairs.pt")
    )
    for epoch in range(args.epochs):
        loader.data_sampler.set_epoch(epoch)
        for x, y in loader:
            loss = nn.functional.mse_loss(engine(x.to(engine.device)).squeeze(-1), y.to(engine.device))
            engine.backward(loss)
            engine.step()
    engine.save_checkpoint("checkpoints")


if __name__ == "__main__":
    main()
