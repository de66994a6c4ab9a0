import os

import torch
import torch.distributed as dist
from torch import nn
from torch.nn.parallel import DistributedDataParallel as DDP
from torch.utils.data import DataLoader, DistributedSampler, TensorDataset

from bank import FeatureBank


def parts():
    g = torch.Generator().manual_seed(4)
    x = torch.randn(384, 10, generator=g)
    y = (x[:, 0] > 0).long() + 2 * (x[:, 1] > 0).long()
    return TensorDataset(x[:256], y[:256]), TensorDataset(x[256:], y[256:])


def main():
    cuda = torch.cuda.is_available()
    local = int(os.environ["LOCAL_RANK"])
    if cuda:
        torch.cuda.set_device(local)
    device = torch.device("cuda", local) if cuda else torch.device("cpu")
    dist.init_process_group("nccl" if cuda else "gloo")
    torch.manual_seed(0)
    encoder = nn.Sequential(nn.Linear(10, 32), nn.ReLU(), nn.Linear(32, 8)).to(device)
    model = DDP(nn.Sequential(encoder, nn.Linear(8, 4).to(device)))
    optimizer = torch.optim.Adam(model.parameters(), lr=1e-2)
    train, test = parts()
    sampler = DistributedSampler(train, drop_last=True)
    loader = DataLoader(train, batch_size=16, sampler=sampler, drop_last=True)
    test_loader = DataLoader(test, batch_size=16, sampler=DistributedSampler(test, shuffle=False))
    bank = FeatureBank(device)
    for epoch in range(2):
        sampler.set_epoch(epoch)
        for x, y in loader:
            loss = nn.functional.cross_entropy(model(x.to(device)), y.to(device))
            optimizer.zero_grad()
            loss.backward()
            optimizer.step()
        bank.fill(encoder, loader)
        hits = torch.zeros(2, device=device)
        with torch.no_grad():
            for x, y in test_loader:
                right = bank.classify(encoder(x.to(device))) == y.to(device)
                hits += torch.stack([right.sum(), torch.tensor(len(right), device=device)])
        dist.all_reduce(hits)
        if dist.get_rank() == 0:
            print(f"epoch {epoch}: {(hits[0] / hits[1]).item():.3f}")
    dist.destroy_process_group()


if __name__ == "__main__":
    main()
