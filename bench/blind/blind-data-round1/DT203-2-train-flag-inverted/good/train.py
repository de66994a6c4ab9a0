import os
from contextlib import contextmanager

import torch
import torch.distributed as dist
import torch.nn as nn
from torch.nn.parallel import DistributedDataParallel as DDP
from torch.utils.data import DataLoader, Dataset
from torch.utils.data.distributed import DistributedSampler


class Reviews(Dataset):
    def __init__(self, split):
        seed, rows = {"train": (0, 768), "valid": (1, 96)}[split]
        generator = torch.Generator().manual_seed(seed)
        self.tokens = torch.randint(0, 50, (rows, 12), generator=generator)
        self.stars = self.tokens.float().mean(1) / 10
        # rows are stored by rating
        self.tokens = self.tokens[self.stars.argsort()]
        self.stars = self.stars.sort().values

    def __len__(self):
        return len(self.tokens)

    def __getitem__(self, i):
        return self.tokens[i], self.stars[i]


class Bag(nn.Module):
    def __init__(self):
        super().__init__()
        self.bag = nn.EmbeddingBag(50, 16)
        self.out = nn.Linear(16, 1)

    def forward(self, tokens):
        return self.out(self.bag(tokens)).squeeze(-1)


@contextmanager
def process_group():
    gpu = torch.cuda.is_available()
    if gpu:
        torch.cuda.set_device(int(os.environ["LOCAL_RANK"]))
    dist.init_process_group(backend="nccl" if gpu else "gloo")
    try:
        yield torch.device("cuda", torch.cuda.current_device()) if gpu else torch.device("cpu")
    finally:
        dist.destroy_process_group()


def get_loader(split, batch_size=32):
    dataset = Reviews(split)
    evaluating = split != "train"
    sampler = DistributedSampler(dataset, shuffle=not evaluating, drop_last=not evaluating)
    return DataLoader(dataset, batch_size=batch_size, sampler=sampler, drop_last=not evaluating)


def run_epoch(model, loader, device, optimizer):
    criterion = nn.SmoothL1Loss()
    for tokens, stars in loader:
        loss = criterion(model(tokens.to(device)), stars.to(device))
        optimizer.zero_grad(set_to_none=True)
        loss.backward()
        optimizer.step()


def main():
    with process_group() as device:
        torch.manual_seed(3)
        model = DDP(Bag().to(device))
        optimizer = torch.optim.Adam(model.parameters(), lr=2e-3)
        loader = get_loader("train")
        for epoch in range(3):
            loader.sampler.set_epoch(epoch)
            run_epoch(model, loader, device, optimizer)
        if dist.get_rank() == 0:
            torch.save(model.module.state_dict(), "bag.pt")


if __name__ == "__main__":
    main()
