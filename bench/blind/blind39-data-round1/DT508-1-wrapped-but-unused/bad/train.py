import os

import torch
import torch.distributed as dist
import torch.nn as nn
import torch.nn.functional as F
from torch.nn.parallel import DistributedDataParallel
from torch.utils.data import DataLoader, DistributedSampler, TensorDataset


class GraphReadout(nn.Module):
    def __init__(self, dim=20, hidden=64, layers=3):
        super().__init__()
        self.embed = nn.Linear(dim, hidden)
        self.layers = nn.ModuleList(nn.Linear(hidden, hidden) for _ in range(layers))
        self.out = nn.Linear(hidden, 1)

    def forward(self, nodes, adjacency):
        h = self.embed(nodes)
        for layer in self.layers:
            h = h + F.relu(adjacency @ layer(h))
        return self.out(h.mean(dim=1)).squeeze(-1)


class Run:
    def __init__(self, net, lr=1e-3):
        self.cuda = torch.cuda.is_available()
        self.local_rank = int(os.environ["LOCAL_RANK"])
        if self.cuda:
            torch.cuda.set_device(self.local_rank)
        dist.init_process_group("nccl" if self.cuda else "gloo")
        self.device = torch.device("cuda", self.local_rank) if self.cuda else torch.device("cpu")
        self.net = net.to(self.device)
        self.ddp = DistributedDataParallel(self.net, device_ids=[self.local_rank] if self.cuda else None)
        self.optimizer = torch.optim.AdamW(self.net.parameters(), lr=lr)

    def step(self, nodes, adjacency, target):
        self.optimizer.zero_grad(set_to_none=True)
        predicted = self.net(nodes.to(self.device), adjacency.to(self.device))
        loss = F.smooth_l1_loss(predicted, target.to(self.device))
        loss.backward()
        self.optimizer.step()
        return loss.detach()

    def close(self):
        dist.destroy_process_group()


def molecules(n=1024, atoms=9, dim=20):
    gen = torch.Generator().manual_seed(14)
    nodes = torch.randn(n, atoms, dim, generator=gen)
    adjacency = (torch.rand(n, atoms, atoms, generator=gen) > 0.7).float()
    return TensorDataset(nodes, adjacency, nodes.mean(dim=(1, 2)))


def main(epochs=3):
    torch.manual_seed(0)
    run = Run(GraphReadout())
    data = molecules()
    sampler = DistributedSampler(data, shuffle=True, drop_last=True)
    loader = DataLoader(data, batch_size=32, sampler=sampler, drop_last=True)
    for epoch in range(epochs):
        sampler.set_epoch(epoch)
        for batch in loader:
            run.step(*batch)
    if dist.get_rank() == 0:
        torch.save(run.net.state_dict(), "readout.pt")
    run.close()


if __name__ == "__main__":
    main()
