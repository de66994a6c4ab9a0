import os

import torch
import torch.distributed as dist
import torch.nn as nn
import torch.nn.functional as F
from torch.nn.parallel import DistributedDataParallel as DDP
from torch.utils.data import DataLoader
from torch.utils.data.distributed import DistributedSampler

from prepare import load_splits

SEED = 1234


def features(batch, device):
    x = torch.stack([batch["a"], batch["b"]], dim=1).float().to(device)
    return x, batch["target"].float().to(device)


def mean_error(model, loader, device):
    total = torch.zeros(2, device=device)
    model.eval()
    with torch.no_grad():
        for batch in loader:
            x, y = features(batch, device)
            total[0] += F.l1_loss(model(x)[:, 0], y, reduction="sum")
            total[1] += len(y)
    model.train()
    dist.all_reduce(total)
    return float(total[0] / total[1])


def main():
    cuda = torch.cuda.is_available()
    if cuda:
        torch.cuda.set_device(int(os.environ["LOCAL_RANK"]))
    dist.init_process_group("nccl" if cuda else "gloo")
    device = torch.device("cuda", torch.cuda.current_device()) if cuda else torch.device("cpu")
    train, test = load_splits("table.csv", SEED)
    sampler = DistributedSampler(train, seed=SEED)
    loader = DataLoader(train, batch_size=16, sampler=sampler)
    test_loader = DataLoader(test, batch_size=16, sampler=DistributedSampler(test, shuffle=False))
    torch.manual_seed(SEED)
    net = nn.Sequential(nn.Linear(2, 12), nn.GELU(), nn.Linear(12, 1)).to(device)
    model = DDP(net)
    optimizer = torch.optim.AdamW(model.parameters())
    for epoch in range(2):
        sampler.set_epoch(epoch)
        for batch in loader:
            x, y = features(batch, device)
            optimizer.zero_grad()
            F.mse_loss(model(x)[:, 0], y).backward()
            optimizer.step()
        error = mean_error(net, test_loader, device)
        if dist.get_rank() == 0:
            print(epoch, error)
    dist.destroy_process_group()


if __name__ == "__main__":
    main()
