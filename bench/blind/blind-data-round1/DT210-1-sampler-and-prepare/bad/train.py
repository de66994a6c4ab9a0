import argparse

import torch
import torch.nn as nn
import torch.nn.functional as F
from accelerate import Accelerator
from accelerate.utils import set_seed
from torch.utils.data import DataLoader, Dataset, DistributedSampler, RandomSampler


class Sines(Dataset):
    def __init__(self, rows=800, seed=0):
        generator = torch.Generator().manual_seed(seed)
        self.t = torch.rand(rows, 1, generator=generator) * 6.28

    def __len__(self):
        return len(self.t)

    def __getitem__(self, index):
        return {"t": self.t[index], "value": self.t[index].sin()}


def build_sampler(dataset, accelerator):
    if accelerator.num_processes > 1:
        return DistributedSampler(dataset, accelerator.num_processes, accelerator.process_index)
    return RandomSampler(dataset)


def train(args):
    accelerator = Accelerator(gradient_accumulation_steps=args.accumulate, cpu=args.cpu)
    set_seed(args.seed)
    dataset = Sines()
    sampler = build_sampler(dataset, accelerator)
    loader = DataLoader(dataset, batch_size=args.batch, sampler=sampler, drop_last=True)
    model = nn.Sequential(nn.Linear(1, 32), nn.Tanh(), nn.Linear(32, 1))
    optimizer = torch.optim.Adam(model.parameters(), lr=args.lr)
    model, optimizer, loader = accelerator.prepare(model, optimizer, loader)
    for epoch in range(args.epochs):
        running, seen = torch.zeros((), device=accelerator.device), 0
        for batch in loader:
            with accelerator.accumulate(model):
                loss = F.mse_loss(model(batch["t"]), batch["value"])
                accelerator.backward(loss)
                optimizer.step()
                optimizer.zero_grad()
            running += loss.detach()
            seen += 1
        mean = accelerator.reduce(running / seen, reduction="mean")
        accelerator.print(f"epoch {epoch} loss {mean.item():.4f}")
    accelerator.wait_for_everyone()
    if accelerator.is_main_process:
        torch.save(accelerator.unwrap_model(model).state_dict(), args.out)
    accelerator.end_training()


if __name__ == "__main__":
    parser = argparse.ArgumentParser()
    parser.add_argument("--batch", type=int, default=10)
    parser.add_argument("--accumulate", type=int, default=2)
    parser.add_argument("--epochs", type=int, default=2)
    parser.add_argument("--lr", type=float, default=1e-2)
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--cpu", action="store_true")
    parser.add_argument("--out", default="sines.pt")
    train(parser.parse_args())
