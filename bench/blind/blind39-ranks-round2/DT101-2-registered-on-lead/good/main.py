import os

import torch
import torch.distributed as dist
from torch import nn
from torch.nn.parallel import DistributedDataParallel as DDP
from torch.utils.data import DataLoader, DistributedSampler, TensorDataset

from events import Bus


def points(n, seed):
    g = torch.Generator().manual_seed(seed)
    x = torch.rand(n, 2, generator=g) * 2 - 1
    return TensorDataset(x, (x.norm(dim=1) < 0.7).long())


@torch.no_grad()
def accuracy(net, loader, device):
    net.eval()
    hits = torch.zeros(2, device=device)
    for x, y in loader:
        predicted = net(x.to(device)).argmax(dim=1)
        hits += torch.tensor([(predicted == y.to(device)).sum(), len(y)], device=device)
    dist.all_reduce(hits)
    net.train()
    return (hits[0] / hits[1]).item()


def main():
    cuda = torch.cuda.is_available()
    local_rank = int(os.environ["LOCAL_RANK"])
    if cuda:
        torch.cuda.set_device(local_rank)
    dist.init_process_group("nccl" if cuda else "gloo")
    lead = dist.get_rank() == 0
    device = torch.device("cuda", local_rank) if cuda else torch.device("cpu")
    torch.manual_seed(0)
    net = nn.Sequential(nn.Linear(2, 32), nn.Tanh(), nn.Linear(32, 2)).to(device)
    model = DDP(net, device_ids=[local_rank] if cuda else None)
    optimizer = torch.optim.Adam(model.parameters(), lr=3e-3)

    train, held_out = points(1000, 1), points(200, 2)
    sampler = DistributedSampler(train, drop_last=True)
    loader = DataLoader(train, batch_size=25, sampler=sampler, drop_last=True)
    eval_loader = DataLoader(held_out, batch_size=50, sampler=DistributedSampler(held_out, shuffle=False))

    bus = Bus()

    @bus.on("epoch", every=2)
    def report(count):
        value = accuracy(net, eval_loader, device)
        if lead:
            print(f"epoch {count}: accuracy {value:.3f}")

    if lead:

        @bus.on("epoch")
        def snapshot(count):
            torch.save(net.state_dict(), f"circle_{count}.pt")

    for epoch in range(1, 7):
        sampler.set_epoch(epoch)
        for x, y in loader:
            loss = nn.functional.cross_entropy(model(x.to(device)), y.to(device))
            optimizer.zero_grad()
            loss.backward()
            optimizer.step()
        bus.fire("epoch", epoch)
    dist.destroy_process_group()


if __name__ == "__main__":
    main()
