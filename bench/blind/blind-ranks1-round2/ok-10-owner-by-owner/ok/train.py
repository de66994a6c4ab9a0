import torch
import torch.distributed as dist
from torch import nn
from torch.utils.data import DataLoader, DistributedSampler, TensorDataset

from owners import Net, ShardedAdam


def main():
    dist.init_process_group("gloo")
    torch.manual_seed(0)
    net = Net()
    opt = ShardedAdam(net.parameters(), lr=1e-2)
    x = torch.randn(256, 6, generator=torch.Generator().manual_seed(0))
    data = TensorDataset(x, (x[:, 0] > 0).long())
    sampler = DistributedSampler(data, drop_last=True)
    loader = DataLoader(data, 16, sampler=sampler, drop_last=True)
    for epoch in range(2):
        sampler.set_epoch(epoch)
        for a, b in loader:
            opt.zero_grad()
            nn.functional.cross_entropy(net(a), b).backward()
            opt.step()
    if dist.get_rank() == 0:
        torch.save(net.state_dict(), "net.pt")
    dist.barrier()
    dist.destroy_process_group()


if __name__ == "__main__":
    main()
