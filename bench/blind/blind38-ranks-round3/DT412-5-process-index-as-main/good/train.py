import argparse
import json
from pathlib import Path

import torch
import torch.nn as nn
import torch.nn.functional as F
from accelerate import Accelerator
from accelerate.utils import set_seed
from torch.utils.data import DataLoader, TensorDataset


class Journal:
    """A text file with one JSON object for each epoch, written by the main process."""

    def __init__(self, path, accelerator):
        self.path = Path(path)
        self.is_main = accelerator.process_index == 0

    def write(self, **facts):
        if self.is_main:
            with self.path.open("a") as out:
                out.write(json.dumps(facts) + "\n")


def tokens(n=6400, seed=4):
    gen = torch.Generator().manual_seed(seed)
    ids = torch.randint(0, 50, (n, 20), generator=gen)
    return TensorDataset(ids, (ids == 7).sum(1).clamp(max=3))


class Bag(nn.Module):
    def __init__(self):
        super().__init__()
        self.embed = nn.EmbeddingBag(50, 32)
        self.out = nn.Linear(32, 4)

    def forward(self, ids):
        return self.out(self.embed(ids))


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--epochs", type=int, default=4)
    args = parser.parse_args()
    accelerator = Accelerator()
    set_seed(2)
    model = Bag()
    opt = torch.optim.Adam(model.parameters(), lr=2e-3)
    train = DataLoader(tokens(), batch_size=64, shuffle=True, drop_last=True)
    test = DataLoader(tokens(1000, seed=5), batch_size=100)
    model, opt, train, test = accelerator.prepare(model, opt, train, test)
    journal = Journal("journal.jsonl", accelerator)
    for epoch in range(args.epochs):
        model.train()
        for ids, y in train:
            opt.zero_grad()
            accelerator.backward(F.cross_entropy(model(ids), y))
            opt.step()
        model.eval()
        right, seen = 0, 0
        for ids, y in test:
            with torch.no_grad():
                guess = model(ids).argmax(1)
            guess, y = accelerator.gather_for_metrics((guess, y))
            right += int((guess == y).sum())
            seen += len(y)
        journal.write(epoch=epoch, accuracy=right / seen)
    accelerator.wait_for_everyone()
    accelerator.save(accelerator.unwrap_model(model).state_dict(), "bag.pt")
    accelerator.end_training()


if __name__ == "__main__":
    main()
