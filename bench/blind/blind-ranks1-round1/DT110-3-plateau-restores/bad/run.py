import itertools
import os

import torch
import torch.distributed as dist
from torch import nn
from torch.nn.parallel import DistributedDataParallel
from torch.utils.data import DataLoader, DistributedSampler, TensorDataset, random_split

from patience import Patience


def split(seed=0):
    g = torch.Generator().manual_seed(seed)
    x = torch.randn(640, 7, generator=g)
    y = torch.sin(x).sum(1, keepdim=True) + 0.5 * torch.randn(640, 1, generator=g)
    return random_split(TensorDataset(x, y), [512, 128], generator=torch.Generator().manual_seed(seed))


@torch.no_grad()
def validation_loss(net, loader, device):
    net.eval()
    total = torch.zeros(2, device=device)
    for x, y in loader:
        residual = net(x.to(device)) - y.to(device)
        total += torch.stack([residual.square().sum(), torch.tensor(float(y.numel()), device=device)])
    net.train()
    return (total[0] / total[1]).item()


def main(max_epochs=40):
    cuda = torch.cuda.is_available()
    local_rank = int(os.environ["LOCAL_RANK"])
    if cuda:
        torch.cuda.set_device(local_rank)
    dist.init_process_group("nccl" if cuda else "gloo")
    device = torch.device("cuda", local_rank) if cuda else torch.device("cpu")
    torch.manual_seed(0)
    net = nn.Sequential(nn.Linear(7, 64), nn.ReLU(), nn.Linear(64, 1)).to(device)
    model = DistributedDataParallel(net, device_ids=[local_rank] if cuda else None)
    optimizer = torch.optim.Adam(model.parameters(), lr=1e-2)
    train, val = split()
    sampler = DistributedSampler(train, drop_last=True)
    loader = DataLoader(train, batch_size=32, sampler=sampler, drop_last=True)
    val_loader = DataLoader(val, batch_size=32, sampler=DistributedSampler(val, shuffle=False))
    patience = Patience(limit=3)
    for epoch in itertools.count():
        sampler.set_epoch(epoch)
        for x, y in loader:
            loss = nn.functional.mse_loss(model(x.to(device)), y.to(device))
            optimizer.zero_grad()
            loss.backward()
            optimizer.step()
        patience.feed(validation_loss(net, val_loader, device))
        if patience.exhausted or epoch + 1 == max_epochs:
            break
    if dist.get_rank() == 0:
        torch.save(net.state_dict(), "net.pt")
    dist.barrier()
    dist.destroy_process_group()


if __name__ == "__main__":
    main()
