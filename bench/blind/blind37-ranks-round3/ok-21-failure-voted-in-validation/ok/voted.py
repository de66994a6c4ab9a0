import logging
import os

import torch
import torch.distributed as dist
from torch import nn
from torch.nn.parallel import DistributedDataParallel as DDP
from torch.utils.data import DataLoader, DistributedSampler, TensorDataset

log = logging.getLogger("voted")


@torch.no_grad()
def local_score(net, loader, device):
    sums = torch.zeros(2, device=device)
    for x, y in loader:
        out = net(x.to(device))
        if out.isnan().any():
            raise ValueError("the network answers NaN")
        sums += torch.stack([(out - y.to(device)).abs().sum(), torch.tensor(float(y.numel()), device=device)])
    return sums


def validate(net, loader, device):
    net.eval()
    try:
        sums, failed = local_score(net, loader, device), 0.0
    except ValueError as problem:
        log.warning("rank %d: %s", dist.get_rank(), problem)
        sums, failed = torch.zeros(2, device=device), 1.0
    net.train()
    all_sums = torch.cat([sums, torch.tensor([failed], device=device)])
    dist.all_reduce(all_sums)
    if all_sums[2] > 0:
        return None
    return (all_sums[0] / all_sums[1]).item()


def main():
    cuda = torch.cuda.is_available()
    local_rank = int(os.environ["LOCAL_RANK"])
    if cuda:
        torch.cuda.set_device(local_rank)
    device = torch.device("cuda", local_rank) if cuda else torch.device("cpu")
    dist.init_process_group("nccl" if cuda else "gloo")
    torch.manual_seed(0)
    net = nn.Linear(7, 1).to(device)
    model = DDP(net, device_ids=[local_rank] if cuda else None)
    opt = torch.optim.SGD(model.parameters(), lr=0.05)
    x = torch.randn(560, 7, generator=torch.Generator().manual_seed(0))
    data = TensorDataset(x, x.sum(1, keepdim=True))
    sampler = DistributedSampler(data, drop_last=True)
    loader = DataLoader(data, batch_size=14, sampler=sampler, drop_last=True)
    held = DataLoader(data, batch_size=14, sampler=DistributedSampler(data, shuffle=False))
    for epoch in range(3):
        sampler.set_epoch(epoch)
        for a, b in loader:
            opt.zero_grad()
            nn.functional.l1_loss(model(a.to(device)), b.to(device)).backward()
            opt.step()
        score = validate(net, held, device)
        if score is None:
            break
        if dist.get_rank() == 0:
            print(epoch, score)
    dist.destroy_process_group()


if __name__ == "__main__":
    main()
