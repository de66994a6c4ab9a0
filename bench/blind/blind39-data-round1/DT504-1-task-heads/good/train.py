import os

import torch
import torch.distributed as dist
import torch.nn as nn
import torch.nn.functional as F
from torch.nn.parallel import DistributedDataParallel as DDP
from torch.utils.data import DataLoader, DistributedSampler, TensorDataset

TASKS = {"species": 12, "habitat": 5}


class MultiTask(nn.Module):
    def __init__(self, dim=30, hidden=64):
        super().__init__()
        self.trunk = nn.Sequential(nn.Linear(dim, hidden), nn.ReLU())
        self.heads = nn.ModuleDict({name: nn.Linear(hidden, classes) for name, classes in TASKS.items()})

    def forward(self, x, task):
        return self.heads[task](self.trunk(x))


def task_loader(task, seed, batch_size):
    gen = torch.Generator().manual_seed(seed)
    x = torch.randn(1024, 30, generator=gen)
    y = torch.randint(0, TASKS[task], (1024,), generator=gen)
    data = TensorDataset(x, y)
    sampler = DistributedSampler(data, shuffle=True, drop_last=True)
    return DataLoader(data, batch_size=batch_size, sampler=sampler, drop_last=True)


def alternate(loaders):
    """Round robin over the tasks, in the same order on every rank."""
    for batches in zip(*loaders.values()):
        for task, (x, y) in zip(loaders, batches):
            yield task, x, y


def main():
    cuda = torch.cuda.is_available()
    local_rank = int(os.environ["LOCAL_RANK"])
    if cuda:
        torch.cuda.set_device(local_rank)
    dist.init_process_group("nccl" if cuda else "gloo")
    device = torch.device("cuda", local_rank) if cuda else torch.device("cpu")
    torch.manual_seed(0)
    net = MultiTask().to(device)
    model = DDP(net, device_ids=[local_rank] if cuda else None, find_unused_parameters=True)
    opt = torch.optim.Adam(model.parameters(), lr=1e-3)
    loaders = {task: task_loader(task, seed, 32) for seed, task in enumerate(TASKS)}
    for epoch in range(3):
        for loader in loaders.values():
            loader.sampler.set_epoch(epoch)
        for task, x, y in alternate(loaders):
            opt.zero_grad(set_to_none=True)
            loss = F.cross_entropy(model(x.to(device), task), y.to(device))
            loss.backward()
            opt.step()
    if dist.get_rank() == 0:
        torch.save(net.state_dict(), "multitask.pt")
    dist.destroy_process_group()


if __name__ == "__main__":
    main()
