import os

import torch
import torch.distributed as dist
import torch.nn as nn
from torch.nn.parallel import DistributedDataParallel as DDP
from torch.utils.data import DataLoader, DistributedSampler, TensorDataset


def one_epoch(model, opt, loader, device):
    for x, y in loader:
        loss = nn.functional.mse_loss(model(x.to(device)), y.to(device))
        opt.zero_grad()
        loss.backward()
        opt.step()
    return loss.item()


def main(target=0.05, limit=100):
    local_rank = int(os.environ["LOCAL_RANK"])
    cuda = torch.cuda.is_available()
    if cuda:
        torch.cuda.set_device(local_rank)
    dist.init_process_group("nccl" if cuda else "gloo")
    device = torch.device("cuda", local_rank) if cuda else torch.device("cpu")
    torch.manual_seed(0)
    model = DDP(nn.Sequential(nn.Linear(8, 32), nn.ReLU(), nn.Linear(32, 1)).to(device))
    opt = torch.optim.Adam(model.parameters(), lr=1e-3)
    gen = torch.Generator().manual_seed(0)
    x = torch.randn(960, 8, generator=gen)
    data = TensorDataset(x, x.norm(dim=1, keepdim=True))
    sampler = DistributedSampler(data, drop_last=True)
    loader = DataLoader(data, batch_size=24, sampler=sampler, drop_last=True)
    epoch, loss = 0, float("inf")
    while loss > target and epoch < limit:
        sampler.set_epoch(epoch)
        loss = one_epoch(model, opt, loader, device)
        epoch += 1
    if dist.get_rank() == 0:
        print("epochs", epoch)
    dist.destroy_process_group()


if __name__ == "__main__":
    main()
