import argparse

import deepspeed
import torch
import torch.nn as nn
import torch.nn.functional as F


class Rows(torch.utils.data.Dataset):
    def __init__(self, n=1024):
        self.x = torch.randn(n, 32, generator=torch.Generator().manual_seed(0))

    def __len__(self):
        return len(self.x)

    def __getitem__(self, i):
        return self.x[i]


def main():
    ap = argparse.ArgumentParser()
    ap.add_argument("--local_rank", type=int, default=-1)
    ap = deepspeed.add_config_arguments(ap)
    args = ap.parse_args()
    deepspeed.init_distributed()
    torch.manual_seed(0)
    net = nn.Sequential(nn.Linear(32, 64), nn.ReLU(), nn.Linear(64, 32))
    engine, _, loader, _ = deepspeed.initialize(
        args=args, model=net, model_parameters=net.parameters(), training_data=Rows()
    )
    for x in loader:
        x = x.to(engine.device)
        engine.backward(F.mse_loss(engine(x), x))
        engine.step()


if __name__ == "__main__":
    main()
