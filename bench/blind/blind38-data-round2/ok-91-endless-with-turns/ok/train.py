"""Steps instead of epochs: the loader's turns are counted and told to the sampler."""
import os

import torch
import torch.distributed as dist
from torch import nn
from torch.nn.parallel import DistributedDataParallel as DDP
from torch.utils.data import DataLoader, DistributedSampler, TensorDataset


class Endless:
    def __init__(self, loader):
        self.loader = loader
        self.turn = 0
        self.current = iter(())

    def __iter__(self):
        return self

    def __next__(self):
        try:
            return next(self.current)
        except StopIteration:
            self.loader.sampler.set_epoch(self.turn)
            self.turn += 1
            self.current = iter(self.loader)
            return next(self.current)


def rows():
    g = torch.Generator().manual_seed(0)
    x = torch.randn(3000, 16, generator=g)
    return TensorDataset(x, x.cumsum(dim=1))


def main(steps=400):
    cuda = torch.cuda.is_available()
    local = int(os.environ["LOCAL_RANK"])
    device = torch.device("cuda", local) if cuda else torch.device("cpu")
    if cuda:
        torch.cuda.set_device(device)
    dist.init_process_group("nccl" if cuda else "gloo")
    torch.manual_seed(0)
    data = rows()
    batches = Endless(DataLoader(data, 50, sampler=DistributedSampler(data, drop_last=True), drop_last=True))
    model = DDP(nn.Linear(16, 16).to(device), device_ids=[local] if cuda else None)
    optimizer = torch.optim.Adam(model.parameters(), lr=1e-2)
    for step in range(steps):
        x, y = (part.to(device) for part in next(batches))
        loss = nn.functional.mse_loss(model(x), y)
        optimizer.zero_grad(set_to_none=True)
        loss.backward()
        optimizer.step()
        if step % 100 == 99:
            shown = loss.detach().clone()
            dist.all_reduce(shown)
            if dist.get_rank() == 0:
                print(step, shown.item() / dist.get_world_size(), flush=True)
    if dist.get_rank() == 0:
        torch.save(model.module.state_dict(), "endless.pt")
    dist.destroy_process_group()


if __name__ == "__main__":
    main()
