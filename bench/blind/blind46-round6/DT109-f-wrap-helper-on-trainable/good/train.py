import os

import torch
import torch.distributed as dist
import torch.nn as nn
import torch.nn.functional as F
from torch.utils.data import DataLoader, DistributedSampler, TensorDataset

from parallel import bare, parallel


class Plan:
    def __init__(self, rank):
        self.rank = rank

    @property
    def teaches(self):
        return self.rank == 0


def main(epochs=2):
    cuda = torch.cuda.is_available()
    local_rank = int(os.environ["LOCAL_RANK"])
    if cuda:
        torch.cuda.set_device(local_rank)
    dist.init_process_group("nccl" if cuda else "gloo")
    device = torch.device("cuda", local_rank) if cuda else torch.device("cpu")
    plan = Plan(dist.get_rank())
    torch.manual_seed(0)
    net = nn.Linear(8, 3).to(device)
    net = parallel(net)
    optimizer = torch.optim.SGD(net.parameters(), lr=0.1)
    x = torch.randn(240, 8, generator=torch.Generator().manual_seed(0))
    data = TensorDataset(x, x[:, :3].argmax(1))
    sampler = DistributedSampler(data, drop_last=True)
    loader = DataLoader(data, batch_size=20, sampler=sampler, drop_last=True)
    for epoch in range(epochs):
        sampler.set_epoch(epoch)
        for bx, by in loader:
            optimizer.zero_grad(set_to_none=True)
            F.cross_entropy(net(bx.to(device)), by.to(device)).backward()
            optimizer.step()
    if plan.teaches:
        torch.save(bare(net).state_dict(), "net.pt")
    dist.destroy_process_group()


if __name__ == "__main__":
    main()
