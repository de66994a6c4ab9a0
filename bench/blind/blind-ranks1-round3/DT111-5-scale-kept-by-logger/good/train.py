import os

import torch
import torch.distributed as dist
from torch import nn
from torch.nn.parallel import DistributedDataParallel as DDP
from torch.utils.data import DataLoader, DistributedSampler, TensorDataset

from monitor import Monitor


@torch.no_grad()
def mean_weights(net, history):
    """The average of the ranks' slow copies, made when a new best is found."""
    for slow, p in zip(history, net.parameters()):
        slow.lerp_(p, 0.5)
        dist.all_reduce(slow)
        slow /= dist.get_world_size()


def main():
    cuda = torch.cuda.is_available()
    local_rank = int(os.environ["LOCAL_RANK"])
    if cuda:
        torch.cuda.set_device(local_rank)
    dist.init_process_group("nccl" if cuda else "gloo")
    device = torch.device("cuda", local_rank) if cuda else torch.device("cpu")
    torch.manual_seed(0)
    net = nn.Linear(4, 1).to(device)
    model = DDP(net, device_ids=[local_rank] if cuda else None)
    opt = torch.optim.SGD(model.parameters(), lr=0.05)
    history = [p.detach().clone() for p in net.parameters()]
    x = torch.randn(256, 4, generator=torch.Generator().manual_seed(0))
    data = TensorDataset(x, x.sum(1, keepdim=True))
    sampler = DistributedSampler(data, drop_last=True)
    loader = DataLoader(data, 16, sampler=sampler, drop_last=True)
    monitor = Monitor()
    for epoch in range(4):
        sampler.set_epoch(epoch)
        total = torch.zeros((), device=device)
        for a, b in loader:
            loss = nn.functional.mse_loss(model(a.to(device)), b.to(device))
            opt.zero_grad()
            loss.backward()
            opt.step()
            total += loss.detach()
        dist.all_reduce(total)
        monitor(epoch, total.item() / (len(loader) * dist.get_world_size()))
        if monitor.best_epoch == epoch:
            mean_weights(net, history)
    if dist.get_rank() == 0:
        torch.save(history, "slow.pt")
    dist.barrier()
    dist.destroy_process_group()


if __name__ == "__main__":
    main()
