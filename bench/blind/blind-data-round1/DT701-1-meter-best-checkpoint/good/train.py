import os

import torch
import torch.distributed as dist
import torch.nn as nn
import torch.nn.functional as F
from torch.nn.parallel import DistributedDataParallel as DDP
from torch.utils.data import DataLoader, DistributedSampler, TensorDataset

from meters import Accuracy


def blobs(seed, rows):
    g = torch.Generator().manual_seed(seed)
    label = torch.randint(0, 3, (rows,), generator=g)
    return TensorDataset(torch.randn(rows, 5, generator=g) + label[:, None], label)


def sharded(dataset, train):
    sampler = DistributedSampler(dataset, shuffle=train, drop_last=train)
    return DataLoader(dataset, batch_size=32, sampler=sampler, drop_last=train)


@torch.inference_mode()
def validate(net, loader, device):
    net.eval()
    accuracy = Accuracy(device)
    for x, y in loader:
        accuracy.update(net(x.to(device)), y.to(device))
    net.train()
    accuracy.sync()
    return accuracy.value


def main():
    cuda = torch.cuda.is_available()
    if cuda:
        torch.cuda.set_device(int(os.environ["LOCAL_RANK"]))
    dist.init_process_group("nccl" if cuda else "gloo")
    device = torch.device("cuda", torch.cuda.current_device()) if cuda else torch.device("cpu")
    torch.manual_seed(0)
    net = nn.Sequential(nn.Linear(5, 16), nn.ReLU(), nn.Linear(16, 3)).to(device)
    model = DDP(net)
    optimizer = torch.optim.Adam(model.parameters(), lr=5e-3)
    train_loader, val_loader = sharded(blobs(0, 960), True), sharded(blobs(1, 192), False)
    best = 0.0
    for epoch in range(3):
        train_loader.sampler.set_epoch(epoch)
        for x, y in train_loader:
            loss = F.cross_entropy(model(x.to(device)), y.to(device))
            optimizer.zero_grad()
            loss.backward()
            optimizer.step()
        accuracy = validate(net, val_loader, device)
        if dist.get_rank() == 0 and accuracy > best:
            best = accuracy
            torch.save({"model": net.state_dict(), "accuracy": accuracy}, "best.pt")
    dist.destroy_process_group()


if __name__ == "__main__":
    main()
