"""Multi-task encoder: one trunk, a head for each task, batches of one task at a time."""
import os
import random
from itertools import cycle

import torch
import torch.distributed as dist
from torch import nn
from torch.nn.parallel import DistributedDataParallel as DDP
from torch.utils.data import DataLoader, DistributedSampler, TensorDataset

TASKS = {"sentiment": 2, "topic": 8, "stance": 3}


class MultiTask(nn.Module):
    def __init__(self, width=64, hidden=96):
        super().__init__()
        self.trunk = nn.Sequential(nn.Linear(width, hidden), nn.ReLU(), nn.Linear(hidden, hidden), nn.ReLU())
        self.heads = nn.ModuleDict({name: nn.Linear(hidden, classes) for name, classes in TASKS.items()})

    def forward(self, x, task):
        return self.heads[task](self.trunk(x))


def dataset(task, classes, rows=1024, width=64):
    g = torch.Generator().manual_seed(sum(map(ord, task)))
    x = torch.randn(rows, width, generator=g)
    return TensorDataset(x, (x[:, :classes]).argmax(dim=1))


def loaders(batch_size):
    made = {}
    for task, classes in TASKS.items():
        rows = dataset(task, classes)
        made[task] = DataLoader(rows, batch_size, sampler=DistributedSampler(rows, drop_last=True), drop_last=True)
    return made


def schedule(epoch, lengths):
    """The order of the tasks in this epoch: the same on every rank."""
    order = [task for task, length in lengths.items() for _ in range(length)]
    random.Random(epoch).shuffle(order)
    return order


def main():
    cuda = torch.cuda.is_available()
    local = int(os.environ["LOCAL_RANK"])
    device = torch.device("cuda", local) if cuda else torch.device("cpu")
    if cuda:
        torch.cuda.set_device(device)
    dist.init_process_group("nccl" if cuda else "gloo")
    torch.manual_seed(0)

    model = DDP(MultiTask().to(device), device_ids=[local] if cuda else None)
    optimizer = torch.optim.AdamW(model.parameters(), lr=1e-3)
    by_task = loaders(32)

    for epoch in range(4):
        for loader in by_task.values():
            loader.sampler.set_epoch(epoch)
        batches = {task: cycle(loader) for task, loader in by_task.items()}
        sums = {task: torch.zeros(2, device=device) for task in TASKS}
        for task in schedule(epoch, {task: len(loader) for task, loader in by_task.items()}):
            x, y = next(batches[task])
            loss = nn.functional.cross_entropy(model(x.to(device), task), y.to(device))
            optimizer.zero_grad(set_to_none=True)
            loss.backward()
            optimizer.step()
            sums[task] += torch.stack([loss.detach(), torch.ones((), device=device)])
        for task in TASKS:
            dist.all_reduce(sums[task])
        if dist.get_rank() == 0:
            print(epoch, {task: round((s[0] / s[1]).item(), 4) for task, s in sums.items()}, flush=True)
    if dist.get_rank() == 0:
        torch.save(model.module.state_dict(), "multitask.pt")
    dist.destroy_process_group()


if __name__ == "__main__":
    main()
