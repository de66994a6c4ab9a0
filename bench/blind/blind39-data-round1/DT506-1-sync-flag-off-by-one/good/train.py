import os

import torch
import torch.distributed as dist
import torch.nn as nn
import torch.nn.functional as F
from torch.nn.parallel import DistributedDataParallel
from torch.utils.data import DataLoader, DistributedSampler, TensorDataset


class Accumulator:
    def __init__(self, model, optimizer, every):
        self.model = model
        self.optimizer = optimizer
        self.every = every
        self.count = 0

    def backward(self, loss):
        (loss / self.every).backward()
        self.count += 1
        if self.count % self.every == 0:
            torch.nn.utils.clip_grad_norm_(self.model.parameters(), 1.0)
            self.optimizer.step()
            self.optimizer.zero_grad(set_to_none=True)

    def before_forward(self):
        boundary = (self.count + 1) % self.every == 0
        self.model.require_backward_grad_sync = boundary


def build(device, cuda):
    torch.manual_seed(0)
    net = nn.Sequential(nn.Linear(16, 128), nn.Tanh(), nn.Linear(128, 3)).to(device)
    return DistributedDataParallel(net, device_ids=[device.index] if cuda else None)


def make_data(rows=4096):
    gen = torch.Generator().manual_seed(21)
    x = torch.randn(rows, 16, generator=gen)
    return TensorDataset(x, torch.randint(0, 3, (rows,), generator=gen))


def main(epochs=2, every=4):
    cuda = torch.cuda.is_available()
    local_rank = int(os.environ["LOCAL_RANK"])
    if cuda:
        torch.cuda.set_device(local_rank)
    dist.init_process_group("nccl" if cuda else "gloo")
    device = torch.device("cuda", local_rank) if cuda else torch.device("cpu")
    data = make_data()
    sampler = DistributedSampler(data, shuffle=True, drop_last=True)
    loader = DataLoader(data, batch_size=16, sampler=sampler, drop_last=True)
    model = build(device, cuda)
    optimizer = torch.optim.AdamW(model.parameters(), lr=5e-4)
    accumulator = Accumulator(model, optimizer, every)
    usable = len(loader) // every * every
    for epoch in range(epochs):
        sampler.set_epoch(epoch)
        for i, (x, y) in enumerate(loader):
            if i == usable:
                break
            accumulator.before_forward()
            loss = F.cross_entropy(model(x.to(device)), y.to(device))
            accumulator.backward(loss)
    if dist.get_rank() == 0:
        torch.save(model.module.state_dict(), "tanh.pt")
    dist.destroy_process_group()


if __name__ == "__main__":
    main()
