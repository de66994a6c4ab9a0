import contextlib
import os

import torch
import torch.distributed as dist
from torch import nn, optim
from torch.nn.parallel import DistributedDataParallel
from torch.utils.data import DataLoader, DistributedSampler, TensorDataset


class BadBatch(Exception):
    pass


def tables():
    gen = torch.Generator().manual_seed(31)
    x = torch.randn(768, 12, generator=gen)
    x[100, 3] = float("nan")
    return TensorDataset(x, (x.nan_to_num().sum(1) > 0).float())


class Task:
    def __init__(self, model, optimizer, device):
        self.model, self.optimizer, self.device = model, optimizer, device
        self.criterion = nn.BCEWithLogitsLoss()
        self.done = 0

    def check(self, x):
        if torch.isnan(x).any():
            x = x.nan_to_num()
        return x

    def step(self, batch):
        x, y = (t.to(self.device, non_blocking=True) for t in batch)
        x = self.check(x)
        loss = self.criterion(self.model(x).squeeze(1), y)
        self.optimizer.zero_grad(set_to_none=True)
        loss.backward()
        self.optimizer.step()
        self.done += 1


def main():
    use_cuda = torch.cuda.is_available()
    dist.init_process_group("nccl" if use_cuda else "gloo")
    local = int(os.environ["LOCAL_RANK"])
    device = torch.device("cpu")
    if use_cuda:
        torch.cuda.set_device(local)
        device = torch.device("cuda", local)
    torch.manual_seed(2)
    net = nn.Sequential(nn.Linear(12, 48), nn.ELU(), nn.Linear(48, 1)).to(device)
    ddp = DistributedDataParallel(net, device_ids=[local] if use_cuda else None)
    task = Task(ddp, optim.AdamW(ddp.parameters(), lr=1e-3), device)
    dataset = tables()
    sampler = DistributedSampler(dataset, shuffle=True, drop_last=True)
    loader = DataLoader(dataset, batch_size=16, sampler=sampler, drop_last=True, pin_memory=use_cuda)
    for epoch in range(2):
        sampler.set_epoch(epoch)
        for batch in loader:
            task.step(batch)
    if dist.get_rank() == 0:
        print(f"{task.done} steps")
        torch.save(net.state_dict(), "tabular.pt")
    dist.destroy_process_group()


if __name__ == "__main__":
    main()
