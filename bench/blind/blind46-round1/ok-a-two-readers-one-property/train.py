import os
from functools import cached_property

import torch
import torch.distributed as dist
import torch.nn as nn
import torch.nn.functional as F
from torch.nn.parallel import DistributedDataParallel as DDP
from torch.utils.data import DataLoader, DistributedSampler, TensorDataset


class EpochResult:
    def __init__(self, total, count, device):
        self._pair = torch.tensor([float(total), float(count)], device=device)

    @cached_property
    def mean(self):
        dist.all_reduce(self._pair)
        return (self._pair[0] / self._pair[1]).item()


def main(epochs=2):
    cuda = torch.cuda.is_available()
    local_rank = int(os.environ["LOCAL_RANK"])
    if cuda:
        torch.cuda.set_device(local_rank)
    dist.init_process_group("nccl" if cuda else "gloo")
    device = torch.device("cuda", local_rank) if cuda else torch.device("cpu")
    torch.manual_seed(0)
    model = DDP(nn.Linear(5, 1).to(device), device_ids=[local_rank] if cuda else None)
    optimizer = torch.optim.SGD(model.parameters(), lr=0.02)
    x = torch.randn(320, 5, generator=torch.Generator().manual_seed(3))
    data = TensorDataset(x, x.mean(1, keepdim=True))
    sampler = DistributedSampler(data, drop_last=True)
    loader = DataLoader(data, batch_size=16, sampler=sampler, drop_last=True)
    best = float("inf")
    for epoch in range(epochs):
        sampler.set_epoch(epoch)
        total, count = 0.0, 0
        for bx, by in loader:
            optimizer.zero_grad(set_to_none=True)
            loss = F.mse_loss(model(bx.to(device)), by.to(device))
            loss.backward()
            optimizer.step()
            total += loss.item() * len(bx)
            count += len(bx)
        result = EpochResult(total, count, device)
        if result.mean < best:
            best = result.mean
            if dist.get_rank() == 0:
                torch.save(model.module.state_dict(), "best.pt")
        if dist.get_rank() == 0:
            print(f"epoch {epoch}: {result.mean:.4f} (best {best:.4f})")
    dist.destroy_process_group()


if __name__ == "__main__":
    main()
