import os

import torch
import torch.distributed as dist
import torch.nn as nn
import torch.nn.functional as F
from torch.nn.parallel import DistributedDataParallel as DDP
from torch.utils.data import DataLoader, DistributedSampler, TensorDataset

NOT_AVERAGED = {"lr", "step"}


class Window:
    """Sums of scalars since the last report."""

    def __init__(self):
        self.sums, self.count = {}, 0

    def add(self, **scalars):
        for name, value in scalars.items():
            self.sums[name] = self.sums.get(name, 0.0) + float(value)
        self.count += 1

    def report(self, device):
        """Means over the window and all ranks; what is the same everywhere is left as it is."""
        means = {name: self.sums[name] / self.count for name in self.sums}
        for name in means.keys() - NOT_AVERAGED:
            value = torch.tensor(means[name], device=device)
            dist.all_reduce(value)
            means[name] = value.item() / dist.get_world_size()
        self.sums, self.count = {}, 0
        return means


def samples(n=2048, seed=33):
    gen = torch.Generator().manual_seed(seed)
    x = torch.randn(n, 12, generator=gen)
    return TensorDataset(x, x.abs().argmax(1))


def main():
    local_rank = int(os.environ["LOCAL_RANK"])
    cuda = torch.cuda.is_available()
    if cuda:
        torch.cuda.set_device(local_rank)
    device = torch.device("cuda", local_rank) if cuda else torch.device("cpu")
    dist.init_process_group("nccl" if cuda else "gloo")
    torch.manual_seed(0)
    net = nn.Sequential(nn.Linear(12, 64), nn.ReLU(), nn.Linear(64, 12)).to(device)
    model = DDP(net, device_ids=[local_rank] if cuda else None)
    opt = torch.optim.SGD(model.parameters(), lr=0.1)
    schedule = torch.optim.lr_scheduler.StepLR(opt, step_size=40, gamma=0.5)
    data = samples()
    sampler = DistributedSampler(data, drop_last=True)
    loader = DataLoader(data, batch_size=32, sampler=sampler, drop_last=True)
    window, step = Window(), 0
    for epoch in range(5):
        sampler.set_epoch(epoch)
        for x, y in loader:
            x, y = x.to(device), y.to(device)
            opt.zero_grad()
            logits = model(x)
            loss = F.cross_entropy(logits, y)
            loss.backward()
            opt.step()
            schedule.step()
            step += 1
            hits = (logits.argmax(1) == y).float().mean()
            window.add(loss=loss.detach(), accuracy=hits, norm=logits.detach().norm(), lr=schedule.get_last_lr()[0], step=step)
            if step % 20 == 0:
                means = window.report(device)
                if dist.get_rank() == 0:
                    print(step, {name: round(value, 4) for name, value in means.items()})
    dist.destroy_process_group()


if __name__ == "__main__":
    main()
