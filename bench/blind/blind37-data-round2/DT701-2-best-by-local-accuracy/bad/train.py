import os

import torch
import torch.distributed as dist
import torch.nn as nn
import torch.nn.functional as F
from torch.nn.parallel import DistributedDataParallel as DDP
from torch.utils.data import DataLoader, DistributedSampler, TensorDataset

from evaluate import evaluate


def shapes(n, seed):
    g = torch.Generator().manual_seed(seed)
    x = torch.randn(n, 50, generator=g)
    return TensorDataset(x, (x[:, :5].sum(1) > 0).long() + (x[:, 5] > 1).long())


def sharded(data, train):
    sampler = DistributedSampler(data, shuffle=train, drop_last=train)
    return DataLoader(data, batch_size=64, sampler=sampler, drop_last=train)


def main():
    cuda = torch.cuda.is_available()
    local_rank = int(os.environ["LOCAL_RANK"])
    if cuda:
        torch.cuda.set_device(local_rank)
    dist.init_process_group("nccl" if cuda else "gloo")
    device = torch.device("cuda", local_rank) if cuda else torch.device("cpu")
    torch.manual_seed(0)
    train, val = sharded(shapes(16_384, 1), True), sharded(shapes(2048, 2), False)
    net = nn.Sequential(nn.Linear(50, 100), nn.ReLU(), nn.Linear(100, 3)).to(device)
    model = DDP(net, device_ids=[local_rank] if cuda else None)
    optimizer = torch.optim.RMSprop(model.parameters(), lr=5e-4)
    best = -1.0
    for epoch in range(10):
        train.sampler.set_epoch(epoch)
        for x, y in train:
            loss = F.cross_entropy(model(x.to(device)), y.to(device))
            optimizer.zero_grad(set_to_none=True)
            loss.backward()
            optimizer.step()
        score = evaluate(model, val, device)
        if score > best:
            best = score
            if dist.get_rank() == 0:
                torch.save({"net": net.state_dict(), "score": best, "epoch": epoch}, "best.pt")
    dist.destroy_process_group()


if __name__ == "__main__":
    main()
