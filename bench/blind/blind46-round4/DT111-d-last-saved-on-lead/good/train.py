import os

import torch
import torch.distributed as dist
import torch.nn as nn
import torch.nn.functional as F
from torch.nn.parallel import DistributedDataParallel as DDP
from torch.utils.data import DataLoader, DistributedSampler, TensorDataset

from ticker import Every, is_lead


def save(net, every, step):
    dist.barrier()
    if is_lead():
        torch.save(net.state_dict(), f"step{step:06d}.pt")
    every.mark(step)
    dist.barrier()


def main(epochs=4):
    cuda = torch.cuda.is_available()
    local_rank = int(os.environ["LOCAL_RANK"])
    if cuda:
        torch.cuda.set_device(local_rank)
    dist.init_process_group("nccl" if cuda else "gloo")
    device = torch.device("cuda", local_rank) if cuda else torch.device("cpu")
    torch.manual_seed(0)
    net = nn.Linear(7, 7).to(device)
    model = DDP(net, device_ids=[local_rank] if cuda else None)
    optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
    data = TensorDataset(torch.randn(700, 7, generator=torch.Generator().manual_seed(0)))
    sampler = DistributedSampler(data, drop_last=True)
    loader = DataLoader(data, batch_size=7, sampler=sampler, drop_last=True)
    every, step = Every(20), 0
    for epoch in range(epochs):
        sampler.set_epoch(epoch)
        for (x,) in loader:
            x = x.to(device)
            optimizer.zero_grad(set_to_none=True)
            F.l1_loss(model(x), x.flip(1)).backward()
            optimizer.step()
            step += 1
            if every.due(step):
                save(net, every, step)
    dist.destroy_process_group()


if __name__ == "__main__":
    main()
