import argparse
import os

import torch
import torch.distributed as dist
from torch import nn
from torch.nn.parallel import DistributedDataParallel as DDP
from torch.utils.data import DataLoader, TensorDataset
from torch.utils.data.distributed import DistributedSampler

from parallel import Layout, start


class Router(nn.Module):
    def __init__(self, width, experts):
        super().__init__()
        self.gate = nn.Linear(width, experts)
        self.experts = nn.ModuleList(nn.Linear(width, width) for _ in range(experts))

    def forward(self, x):
        probabilities = self.gate(x).softmax(dim=-1)
        mixed = torch.stack([expert(x) for expert in self.experts], dim=-1)
        return (mixed * probabilities.unsqueeze(1)).sum(dim=-1), probabilities.mean(dim=0)


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--ranks-per-node", type=int, default=int(os.environ.get("LOCAL_WORLD_SIZE", 1)))
    args = parser.parse_args()
    device = start()
    layout = Layout(args.ranks_per_node)
    torch.manual_seed(0)
    model = DDP(Router(8, 4).to(device))
    optimizer = torch.optim.Adam(model.parameters())
    data = TensorDataset(torch.randn(256, 8, generator=torch.Generator().manual_seed(1)))
    sampler = DistributedSampler(data, drop_last=True)
    loader = DataLoader(data, batch_size=16, sampler=sampler, drop_last=True)
    for epoch in range(2):
        sampler.set_epoch(epoch)
        usage = torch.zeros(4, device=device)
        for (x,) in loader:
            x = x.to(device)
            y, share = model(x)
            loss = (y - x).pow(2).mean() + 0.01 * share.max()
            optimizer.zero_grad()
            loss.backward()
            optimizer.step()
            usage += share.detach()
        usage = layout.node_sum(usage)
        if layout.rank == 0:
            print("experts of the first node:", [round(v, 2) for v in usage.tolist()])
    dist.barrier()
    dist.destroy_process_group()


if __name__ == "__main__":
    main()
