import argparse
import math

import torch
import torch.nn as nn
import torch.nn.functional as F
from accelerate import Accelerator
from accelerate.logging import get_logger
from accelerate.utils import ProjectConfiguration, set_seed
from torch.utils.data import DataLoader, Dataset

logger = get_logger(__name__)


class Paths(Dataset):
    def __init__(self, rows=512, length=24):
        g = torch.Generator().manual_seed(1)
        self.steps = torch.randn(rows, length, 2, generator=g) * 0.1

    def __len__(self):
        return self.steps.shape[0]

    def __getitem__(self, i):
        return self.steps[i].cumsum(0)


class Next(nn.Module):
    def __init__(self):
        super().__init__()
        self.rnn = nn.GRU(2, 24, batch_first=True)
        self.out = nn.Linear(24, 2)

    def forward(self, x):
        return self.out(self.rnn(x)[0])


def main(args):
    project = ProjectConfiguration(project_dir=args.out)
    accelerator = Accelerator(project_config=project, cpu=args.cpu)
    set_seed(args.seed)
    loader = DataLoader(Paths(), batch_size=args.batch, shuffle=True, drop_last=True)
    model = Next()
    optimizer = torch.optim.AdamW(model.parameters(), lr=args.lr)
    model, optimizer = accelerator.prepare(model, optimizer)
    total = args.epochs * math.ceil(len(loader) / accelerator.gradient_accumulation_steps)
    logger.info("training for %d steps", total)
    for epoch in range(args.epochs):
        model.train()
        for paths in loader:
            paths = paths.to(accelerator.device)
            with accelerator.accumulate(model):
                loss = F.mse_loss(model(paths[:, :-1]), paths[:, 1:])
                accelerator.backward(loss)
                if accelerator.sync_gradients:
                    accelerator.clip_grad_norm_(model.parameters(), 1.0)
                optimizer.step()
                optimizer.zero_grad()
    accelerator.wait_for_everyone()
    accelerator.save_model(model, args.out)
    accelerator.end_training()


if __name__ == "__main__":
    parser = argparse.ArgumentParser()
    parser.add_argument("--epochs", type=int, default=2)
    parser.add_argument("--batch", type=int, default=16)
    parser.add_argument("--lr", type=float, default=2e-3)
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--out", default="paths")
    parser.add_argument("--cpu", action="store_true")
    main(parser.parse_args())
