import os

import torch
import torch.distributed as dist
from torch import nn
from torch.nn.parallel import DistributedDataParallel as DDP
from torch.utils.data import DataLoader, DistributedSampler, TensorDataset


class SpikeFilter:
    """Says no to a step whose gradient is far above its recent size."""

    def __init__(self, factor=8.0, decay=0.9):
        self.factor, self.decay = factor, decay
        self.mean = None
        self.refused = 0

    def accept(self, norm):
        if not torch.isfinite(norm):
            self.refused += 1
            return False
        value = norm.item()
        if self.mean is not None and value > self.factor * self.mean:
            self.refused += 1
            return False
        self.mean = value if self.mean is None else self.decay * self.mean + (1 - self.decay) * value
        return True


def main():
    cuda = torch.cuda.is_available()
    local_rank = int(os.environ["LOCAL_RANK"])
    if cuda:
        torch.cuda.set_device(local_rank)
    dist.init_process_group("nccl" if cuda else "gloo")
    device = torch.device("cuda", local_rank) if cuda else torch.device("cpu")
    torch.manual_seed(0)
    model = DDP(nn.Linear(16, 4).to(device), device_ids=[local_rank] if cuda else None)
    optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
    g = torch.Generator().manual_seed(1)
    x = torch.randn(512, 16, generator=g)
    data = TensorDataset(x, x[:, :4].argmax(1))
    sampler = DistributedSampler(data, drop_last=True)
    loader = DataLoader(data, batch_size=16, sampler=sampler, drop_last=True)
    spikes = SpikeFilter()
    for epoch in range(2):
        sampler.set_epoch(epoch)
        for a, b in loader:
            optimizer.zero_grad()
            nn.functional.cross_entropy(model(a.to(device)), b.to(device)).backward()
            norm = nn.utils.clip_grad_norm_(model.parameters(), 5.0)
            if not spikes.accept(norm):
                continue
            optimizer.step()
        if spikes.refused > 20:
            raise RuntimeError("training is unstable")
    dist.barrier()
    dist.destroy_process_group()


if __name__ == "__main__":
    main()
