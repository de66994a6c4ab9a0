import os

import torch
import torch.distributed as dist
import torch.nn as nn
import torch.nn.functional as F
from torch.utils.data import DataLoader, DistributedSampler, TensorDataset


def average_gradients(model, world):
    handles = []
    for p in model.parameters():
        if p.grad is not None:
            p.grad.div_(world)
            handles.append(dist.all_reduce(p.grad, async_op=True))
    for handle in handles:
        handle.wait()


class Network(nn.Module):
    def __init__(self):
        super().__init__()
        self.stem = nn.Conv1d(4, 16, 5)
        self.head = nn.Linear(16, 2)

    def forward(self, x):
        return self.head(F.relu(self.stem(x)).mean(dim=-1))


def main():
    cuda = torch.cuda.is_available()
    local_rank = int(os.environ["LOCAL_RANK"])
    if cuda:
        torch.cuda.set_device(local_rank)
    dist.init_process_group("nccl" if cuda else "gloo")
    device = torch.device("cuda", local_rank) if cuda else torch.device("cpu")
    world = dist.get_world_size()
    torch.manual_seed(10)
    model = Network().to(device)
    opt = torch.optim.SGD(model.parameters(), lr=0.05)
    gen = torch.Generator().manual_seed(44)
    data = TensorDataset(torch.randn(640, 4, 50, generator=gen), torch.randint(0, 2, (640,), generator=gen))
    sampler = DistributedSampler(data, drop_last=True)
    loader = DataLoader(data, batch_size=16, sampler=sampler, drop_last=True)
    for epoch in range(2):
        sampler.set_epoch(epoch)
        for x, y in loader:
            opt.zero_grad()
            F.cross_entropy(model(x.to(device)), y.to(device)).backward()
            average_gradients(model, world)
            opt.step()
    dist.destroy_process_group()


if __name__ == "__main__":
    main()
