import argparse
import logging

import torch
import torch.nn as nn
import torch.nn.functional as F
from accelerate import Accelerator
from accelerate.logging import get_logger
from accelerate.utils import ProjectConfiguration, set_seed
from torch.utils.data import DataLoader, Dataset
from torch.utils.data.distributed import DistributedSampler

logger = get_logger(__name__)


class Spans(Dataset):
    def __init__(self, n=2000, length=40):
        gen = torch.Generator().manual_seed(9)
        self.tokens = torch.randint(5, 100, (n, length), generator=gen)
        self.start = torch.randint(length, (n,), generator=gen)
        self.tokens[torch.arange(n), self.start] = 1

    def __len__(self):
        return len(self.tokens)

    def __getitem__(self, i):
        return {"tokens": self.tokens[i], "start": self.start[i]}


class Pointer(nn.Module):
    def __init__(self, vocab=100, dim=32):
        super().__init__()
        self.embed = nn.Embedding(vocab, dim)
        self.rnn = nn.LSTM(dim, dim, batch_first=True, bidirectional=True)
        self.score = nn.Linear(2 * dim, 1)

    def forward(self, tokens):
        hidden, _ = self.rnn(self.embed(tokens))
        return self.score(hidden).squeeze(-1)


def make_loader(accelerator, dataset, batch_size):
    return DataLoader(dataset, batch_size=batch_size, shuffle=True, num_workers=2)


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--batch-size", type=int, default=16)
    parser.add_argument("--epochs", type=int, default=3)
    parser.add_argument("--output", default="runs/qa")
    args = parser.parse_args()
    accelerator = Accelerator(project_config=ProjectConfiguration(project_dir=args.output))
    logging.basicConfig(level=logging.INFO)
    set_seed(3)
    model = Pointer()
    optimizer = torch.optim.AdamW(model.parameters(), lr=1e-3)
    loader = make_loader(accelerator, Spans(), args.batch_size)
    model, optimizer, loader = accelerator.prepare(model, optimizer, loader)
    for epoch in range(args.epochs):
        for batch in loader:
            loss = F.cross_entropy(model(batch["tokens"]), batch["start"])
            accelerator.backward(loss)
            optimizer.step()
            optimizer.zero_grad()
        logger.info("epoch %d finished", epoch)
    accelerator.save_state(f"{args.output}/last")
    accelerator.end_training()


if __name__ == "__main__":
    main()
