import os

import torch
import torch.distributed as dist
import torch.nn as nn
import torch.nn.functional as F
from torch.utils.data import DataLoader, DistributedSampler, TensorDataset

from averaging import average_parameters


def main(epochs=2, every=5):
    cuda = torch.cuda.is_available()
    local_rank = int(os.environ["LOCAL_RANK"])
    if cuda:
        torch.cuda.set_device(local_rank)
    dist.init_process_group("nccl" if cuda else "gloo")
    device = torch.device("cuda", local_rank) if cuda else torch.device("cpu")
    torch.manual_seed(0)
    net = nn.Linear(14, 2).to(device)
    optimizer = torch.optim.SGD(net.parameters(), lr=0.1)
    x = torch.randn(640, 14, generator=torch.Generator().manual_seed(0))
    data = TensorDataset(x, (x.mean(1) > 0).long())
    sampler = DistributedSampler(data, drop_last=True)
    loader = DataLoader(data, batch_size=16, sampler=sampler, drop_last=True)
    step = 0
    for epoch in range(epochs):
        sampler.set_epoch(epoch)
        for bx, by in loader:
            optimizer.zero_grad(set_to_none=True)
            F.cross_entropy(net(bx.to(device)), by.to(device)).backward()
            optimizer.step()
            step += 1
            if step % every == 0:
                average_parameters(net)
    dist.destroy_process_group()


if __name__ == "__main__":
    main()
