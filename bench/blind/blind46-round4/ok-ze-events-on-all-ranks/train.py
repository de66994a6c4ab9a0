import os

import torch
import torch.distributed as dist
import torch.nn as nn
import torch.nn.functional as F
from torch.nn.parallel import DistributedDataParallel as DDP
from torch.utils.data import DataLoader, DistributedSampler, TensorDataset

from callbacks import Registry


def main(epochs=2):
    cuda = torch.cuda.is_available()
    local_rank = int(os.environ["LOCAL_RANK"])
    if cuda:
        torch.cuda.set_device(local_rank)
    dist.init_process_group("nccl" if cuda else "gloo")
    device = torch.device("cuda", local_rank) if cuda else torch.device("cpu")
    torch.manual_seed(0)
    model = DDP(nn.Linear(5, 1).to(device), device_ids=[local_rank] if cuda else None)
    optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
    x = torch.randn(320, 5, generator=torch.Generator().manual_seed(0))
    data = TensorDataset(x, x.sum(1, keepdim=True))
    sampler = DistributedSampler(data, drop_last=True)
    loader = DataLoader(data, batch_size=16, sampler=sampler, drop_last=True)
    callbacks = Registry.make("printer", "losses")
    for epoch in range(epochs):
        sampler.set_epoch(epoch)
        total = 0.0
        for bx, by in loader:
            optimizer.zero_grad(set_to_none=True)
            loss = F.mse_loss(model(bx.to(device)), by.to(device))
            loss.backward()
            optimizer.step()
            total += loss.item()
        for callback in callbacks:
            callback.fire("epoch", epoch, total / len(loader))
    dist.destroy_process_group()


if __name__ == "__main__":
    main()
