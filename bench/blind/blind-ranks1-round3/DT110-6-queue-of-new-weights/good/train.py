import os

import torch
import torch.distributed as dist
from torch import nn
from torch.nn.parallel import DistributedDataParallel as DDP
from torch.utils.data import DataLoader, DistributedSampler, TensorDataset

from watcher import Watcher


def spread(net):
    """Average of the weights over the ranks, as a check for those who asked."""
    flat = torch.cat([p.detach().flatten() for p in net.parameters()])
    mean = flat.clone()
    dist.all_reduce(mean)
    return (flat - mean / dist.get_world_size()).abs().max().item()


def main():
    cuda = torch.cuda.is_available()
    local_rank = int(os.environ["LOCAL_RANK"])
    if cuda:
        torch.cuda.set_device(local_rank)
    dist.init_process_group("nccl" if cuda else "gloo")
    device = torch.device("cuda", local_rank) if cuda else torch.device("cpu")
    torch.manual_seed(0)
    net = nn.Linear(6, 6).to(device)
    model = DDP(net, device_ids=[local_rank] if cuda else None)
    opt = torch.optim.SGD(model.parameters(), lr=0.01)
    x = torch.randn(512, 6, generator=torch.Generator().manual_seed(0))
    data = TensorDataset(x, x.flip(1))
    sampler = DistributedSampler(data, drop_last=True)
    loader = DataLoader(data, 16, sampler=sampler, drop_last=True)
    watcher = Watcher("requests").start()
    for epoch in range(5):
        sampler.set_epoch(epoch)
        for a, b in loader:
            opt.zero_grad()
            nn.functional.mse_loss(model(a.to(device)), b.to(device)).backward()
            opt.step()
        value = spread(net)
        while watcher.pending():
            print(f"{watcher.take()}: spread {value:.2e} on rank {dist.get_rank()}")
    dist.barrier()
    dist.destroy_process_group()


if __name__ == "__main__":
    main()
