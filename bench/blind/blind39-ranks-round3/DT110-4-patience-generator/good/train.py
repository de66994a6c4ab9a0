import os

import torch
import torch.distributed as dist
from torch import nn
from torch.nn.parallel import DistributedDataParallel as DDP
from torch.utils.data import DataLoader, DistributedSampler, TensorDataset

from patience import Patience


def tensors(n, seed):
    g = torch.Generator().manual_seed(seed)
    x = torch.randn(n, 15, generator=g)
    return TensorDataset(x, x[:, :3].sum(1, keepdim=True).sign())


def loaders(batch_size):
    train, valid = tensors(900, 1), tensors(300, 2)
    sampler = DistributedSampler(train, drop_last=True)
    return (
        DataLoader(train, batch_size=batch_size, sampler=sampler, drop_last=True),
        DataLoader(valid, batch_size=batch_size, sampler=DistributedSampler(valid, shuffle=False)),
    )


@torch.no_grad()
def validation_loss(net, loader, device):
    net.eval()
    total = torch.zeros(2, device=device)
    for x, y in loader:
        total[0] += nn.functional.soft_margin_loss(net(x.to(device)), y.to(device), reduction="sum")
        total[1] += len(x)
    net.train()
    dist.all_reduce(total)
    return (total[0] / total[1]).item()


def main():
    cuda = torch.cuda.is_available()
    local_rank = int(os.environ["LOCAL_RANK"])
    if cuda:
        torch.cuda.set_device(local_rank)
    dist.init_process_group("nccl" if cuda else "gloo")
    device = torch.device("cuda", local_rank) if cuda else torch.device("cpu")
    torch.manual_seed(0)
    net = nn.Sequential(nn.Linear(15, 30), nn.ReLU(), nn.Linear(30, 1)).to(device)
    model = DDP(net, device_ids=[local_rank] if cuda else None)
    optimizer = torch.optim.SGD(model.parameters(), lr=0.05)
    train, valid = loaders(batch_size=30)
    patience = Patience(limit=3)
    for epoch in patience.epochs(most=40):
        train.sampler.set_epoch(epoch)
        for x, y in train:
            loss = nn.functional.soft_margin_loss(model(x.to(device)), y.to(device))
            optimizer.zero_grad()
            loss.backward()
            optimizer.step()
        patience.saw(validation_loss(net, valid, device))
    if dist.get_rank() == 0:
        torch.save(net.state_dict(), "margin.pt")
    dist.destroy_process_group()


if __name__ == "__main__":
    main()
