import argparse

import torch
import torch.nn as nn
import torch.nn.functional as F
from accelerate import Accelerator
from accelerate.utils import ProjectConfiguration, set_seed
from torch.utils.data import DataLoader, TensorDataset

from prune import Keeper


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--out", default="runs/a")
    parser.add_argument("--save-every", type=int, default=50)
    args = parser.parse_args()
    accelerator = Accelerator(project_config=ProjectConfiguration(project_dir=args.out))
    set_seed(0)
    gen = torch.Generator().manual_seed(0)
    data = TensorDataset(torch.randn(4096, 30, generator=gen), torch.randint(0, 5, (4096,), generator=gen))
    loader = DataLoader(data, batch_size=32, shuffle=True, drop_last=True)
    model = nn.Linear(30, 5)
    optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
    model, optimizer, loader = accelerator.prepare(model, optimizer, loader)
    keeper = Keeper(args.out)
    step = 0
    for epoch in range(5):
        for x, y in loader:
            loss = F.cross_entropy(model(x), y)
            accelerator.backward(loss)
            optimizer.step()
            optimizer.zero_grad()
            step += 1
            if step % args.save_every == 0:
                accelerator.save_state(f"{args.out}/step-{step}")
                keeper.prune()
    accelerator.end_training()


if __name__ == "__main__":
    main()
