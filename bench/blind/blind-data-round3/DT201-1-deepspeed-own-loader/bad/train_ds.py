import argparse
import json

import deepspeed
import torch
import torch.distributed as dist
import torch.nn as nn
from torch.utils.data import DataLoader, Dataset, DistributedSampler


class Addition(Dataset):
    """Sums of two numbers as digit tokens."""

    def __init__(self, count, seed=0):
        g = torch.Generator().manual_seed(seed)
        self.pairs = torch.randint(0, 100, (count, 2), generator=g)

    def __len__(self):
        return len(self.pairs)

    def __getitem__(self, index):
        a, b = self.pairs[index].tolist()
        return torch.tensor([int(d) for d in f"{a:02d}{b:02d}"]), torch.tensor(a + b)


class Adder(nn.Module):
    def __init__(self, width=64):
        super().__init__()
        self.digits = nn.Embedding(10, width)
        self.out = nn.Sequential(nn.Linear(4 * width, width), nn.ReLU(), nn.Linear(width, 199))

    def forward(self, digits, total=None):
        logits = self.out(self.digits(digits).flatten(1))
        return nn.functional.cross_entropy(logits, total) if total is not None else logits


def batches(dataset, micro):
    loader = DataLoader(dataset, batch_size=micro, shuffle=True, drop_last=True)
    while True:
        yield from loader


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--local_rank", type=int, default=-1)
    parser.add_argument("--config", default="ds.json")
    parser.add_argument("--steps", type=int, default=500)
    args = parser.parse_args()
    deepspeed.init_distributed()
    torch.manual_seed(1)
    with open(args.config) as file:
        config = json.load(file)
    model = Adder()
    engine, _, _, _ = deepspeed.initialize(model=model, model_parameters=model.parameters(), config=config)
    source = batches(Addition(20000), engine.train_micro_batch_size_per_gpu())
    for step in range(args.steps * engine.gradient_accumulation_steps()):
        digits, total = (part.to(engine.device) for part in next(source))
        loss = engine(digits, total)
        engine.backward(loss)
        engine.step()
        if engine.is_gradient_accumulation_boundary() and engine.global_steps % 100 == 0:
            mean = loss.detach().clone()
            dist.all_reduce(mean)
            if dist.get_rank() == 0:
                print(engine.global_steps, mean.item() / dist.get_world_size())
    engine.save_checkpoint("adder")


if __name__ == "__main__":
    main()
