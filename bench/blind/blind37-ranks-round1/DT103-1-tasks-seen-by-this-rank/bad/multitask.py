import collections
import os
import random

import torch
import torch.distributed as dist
import torch.nn as nn
from torch.nn.parallel import DistributedDataParallel as DDP
from torch.utils.data import DataLoader, Dataset
from torch.utils.data.distributed import DistributedSampler

TASKS = ("ner", "pos", "chunk", "srl")


class TaggedWindows(Dataset):
    def __init__(self, n=600, dim=12):
        rng = random.Random(5)
        g = torch.Generator().manual_seed(5)
        self.task = [rng.choices(TASKS, weights=(50, 40, 9, 1))[0] for _ in range(n)]
        self.x = torch.randn(n, dim, generator=g)
        self.y = (self.x.sum(1) > 0).long()

    def __len__(self):
        return len(self.task)

    def __getitem__(self, i):
        return self.x[i], self.y[i], self.task[i]


class Trainer:
    def __init__(self, device):
        self.device = device
        torch.manual_seed(0)
        net = nn.Sequential(nn.Linear(12, 32), nn.ReLU(), nn.Linear(32, 2)).to(device)
        ids = [device.index] if device.type == "cuda" else None
        self.model = DDP(net, device_ids=ids)
        self.opt = torch.optim.SGD(self.model.parameters(), lr=0.05)
        train = TaggedWindows()
        self.sampler = DistributedSampler(train, drop_last=True)
        self.train_loader = DataLoader(train, batch_size=20, sampler=self.sampler, drop_last=True)

    def train_epoch(self, epoch):
        self.sampler.set_epoch(epoch)
        correct = collections.defaultdict(lambda: torch.zeros(2, device=self.device))
        for x, y, tasks in self.train_loader:
            x, y = x.to(self.device), y.to(self.device)
            logits = self.model(x)
            loss = nn.functional.cross_entropy(logits, y)
            self.opt.zero_grad()
            loss.backward()
            self.opt.step()
            hits = (logits.argmax(1) == y).float()
            for task, hit in zip(tasks, hits):
                correct[task] += torch.stack((hit, torch.ones_like(hit)))
        return self.summarize(correct)

    @staticmethod
    def summarize(correct):
        accuracy = {}
        for task, pair in sorted(correct.items()):
            dist.all_reduce(pair)
            accuracy[task] = (pair[0] / pair[1].clamp(min=1)).item()
        return accuracy


def main():
    use_cuda = torch.cuda.is_available()
    local_rank = int(os.environ["LOCAL_RANK"])
    if use_cuda:
        torch.cuda.set_device(local_rank)
    dist.init_process_group(backend="nccl" if use_cuda else "gloo")
    device = torch.device(f"cuda:{local_rank}" if use_cuda else "cpu")
    trainer = Trainer(device)
    for epoch in range(3):
        accuracy = trainer.train_epoch(epoch)
        if dist.get_rank() == 0:
            print(epoch, " ".join(f"{k}={v:.3f}" for k, v in accuracy.items()))
    dist.destroy_process_group()


if __name__ == "__main__":
    main()
