import os

import torch
import torch.distributed as dist
import torch.nn as nn
import torch.nn.functional as F
from torch.nn.parallel import DistributedDataParallel as DDP
from torch.utils.data import DataLoader, DistributedSampler, TensorDataset


def loader_options(train, workers=2):
    options = {"num_workers": workers, "pin_memory": True, "drop_last": train}
    if workers:
        options["persistent_workers"] = True
    return options


def make(data, batch_size, train):
    sampler = DistributedSampler(data, shuffle=train, drop_last=train, seed=17)
    return DataLoader(data, batch_size=batch_size, sampler=sampler, **loader_options(train))


def rings(n, seed):
    g = torch.Generator().manual_seed(seed)
    x = torch.randn(n, 2, generator=g) * 2
    return TensorDataset(x, (x.norm(dim=1) > 2).long())


@torch.no_grad()
def accuracy(model, loader, device):
    model.eval()
    counts = torch.zeros(2, device=device)
    for x, y in loader:
        y = y.to(device)
        counts += torch.stack([(model(x.to(device)).argmax(1) == y).sum(), torch.tensor(len(y), device=device)])
    dist.all_reduce(counts)
    model.train()
    return (counts[0] / counts[1]).item()


def main():
    cuda = torch.cuda.is_available()
    local_rank = int(os.environ["LOCAL_RANK"])
    if cuda:
        torch.cuda.set_device(local_rank)
    dist.init_process_group("nccl" if cuda else "gloo")
    device = torch.device("cuda", local_rank) if cuda else torch.device("cpu")
    torch.manual_seed(17)
    train, val = make(rings(8192, 1), 64, True), make(rings(1024, 2), 64, False)
    net = nn.Sequential(nn.Linear(2, 32), nn.ReLU(), nn.Linear(32, 2)).to(device)
    model = DDP(net, device_ids=[local_rank] if cuda else None)
    optimizer = torch.optim.Adam(model.parameters(), lr=1e-3)
    for epoch in range(4):
        train.sampler.set_epoch(epoch)
        for x, y in train:
            loss = F.cross_entropy(model(x.to(device)), y.to(device))
            optimizer.zero_grad(set_to_none=True)
            loss.backward()
            optimizer.step()
        score = accuracy(model, val, device)
        if dist.get_rank() == 0:
            print(epoch, score)
    dist.destroy_process_group()


if __name__ == "__main__":
    main()
