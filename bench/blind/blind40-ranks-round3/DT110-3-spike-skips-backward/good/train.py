import os

import torch
import torch.distributed as dist
import torch.nn as nn
from torch.nn.parallel import DistributedDataParallel as DDP
from torch.utils.data import DataLoader, DistributedSampler, TensorDataset


class SpikeFilter:
    """Is this loss far above what we have seen lately?"""

    def __init__(self, factor=4.0, decay=0.98):
        self.factor, self.decay = factor, decay
        self.mean = None

    def __call__(self, value):
        if self.mean is None:
            self.mean = value
        spike = value > self.factor * self.mean
        if not spike:
            self.mean = self.decay * self.mean + (1 - self.decay) * value
        return spike


def agreed(value, device):
    t = torch.tensor(value, device=device)
    dist.all_reduce(t)
    return t.item() / dist.get_world_size()


def train_epoch(model, opt, loader, spike, device):
    skipped = 0
    for x, y in loader:
        loss = nn.functional.cross_entropy(model(x.to(device)), y.to(device))
        opt.zero_grad(set_to_none=True)
        if spike(agreed(loss.item(), device)):
            skipped += 1
            continue
        loss.backward()
        opt.step()
    return skipped


def main():
    cuda = torch.cuda.is_available()
    local_rank = int(os.environ["LOCAL_RANK"])
    if cuda:
        torch.cuda.set_device(local_rank)
    dist.init_process_group("nccl" if cuda else "gloo")
    device = torch.device("cuda", local_rank) if cuda else torch.device("cpu")
    torch.manual_seed(0)
    model = DDP(nn.Sequential(nn.Linear(25, 50), nn.ReLU(), nn.Linear(50, 5)).to(device), device_ids=[local_rank] if cuda else None)
    opt = torch.optim.AdamW(model.parameters(), lr=1e-2)
    x = torch.randn(1000, 25, generator=torch.Generator().manual_seed(5))
    data = TensorDataset(x, x[:, :5].argmax(1))
    sampler = DistributedSampler(data, drop_last=True)
    loader = DataLoader(data, batch_size=25, sampler=sampler, drop_last=True)
    spike = SpikeFilter()
    for epoch in range(3):
        sampler.set_epoch(epoch)
        skipped = train_epoch(model, opt, loader, spike, device)
        if dist.get_rank() == 0:
            print(f"epoch {epoch}: skipped {skipped}")
    dist.destroy_process_group()


if __name__ == "__main__":
    main()
