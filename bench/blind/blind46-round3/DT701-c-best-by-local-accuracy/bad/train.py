import os

import torch
import torch.distributed as dist
import torch.nn as nn
import torch.nn.functional as F
from torch.nn.parallel import DistributedDataParallel as DDP
from torch.utils.data import DataLoader, DistributedSampler, TensorDataset


def split(n, seed):
    x = torch.randn(n, 16, generator=torch.Generator().manual_seed(seed))
    return TensorDataset(x, x[:, :4].argmax(1))


class Accuracy:
    def __init__(self, device):
        self.counts = torch.zeros(2, device=device)

    def update(self, logits, labels):
        self.counts += torch.stack([(logits.argmax(1) == labels).sum(), labels.new_tensor(len(labels))])
        return self

    def compute(self):
        hits, seen = self.counts.tolist()
        return hits / seen


@torch.no_grad()
def validate(model, loader, device):
    model.eval()
    metric = Accuracy(device)
    for x, y in loader:
        metric.update(model(x.to(device)), y.to(device))
    model.train()
    return metric.compute()


def main(epochs=4):
    cuda = torch.cuda.is_available()
    local_rank = int(os.environ["LOCAL_RANK"])
    if cuda:
        torch.cuda.set_device(local_rank)
    dist.init_process_group("nccl" if cuda else "gloo")
    device = torch.device("cuda", local_rank) if cuda else torch.device("cpu")
    torch.manual_seed(0)
    net = nn.Sequential(nn.Linear(16, 32), nn.ReLU(), nn.Linear(32, 4)).to(device)
    model = DDP(net, device_ids=[local_rank] if cuda else None)
    optimizer = torch.optim.AdamW(model.parameters(), lr=1e-3)
    train, val = split(1024, 0), split(256, 1)
    sampler = DistributedSampler(train, drop_last=True)
    loader = DataLoader(train, batch_size=32, sampler=sampler, drop_last=True)
    val_loader = DataLoader(val, batch_size=32, sampler=DistributedSampler(val, shuffle=False))
    best = 0.0
    for epoch in range(epochs):
        sampler.set_epoch(epoch)
        for x, y in loader:
            optimizer.zero_grad(set_to_none=True)
            F.cross_entropy(model(x.to(device)), y.to(device)).backward()
            optimizer.step()
        acc = validate(model, val_loader, device)
        if dist.get_rank() == 0 and acc > best:
            best = acc
            torch.save(net.state_dict(), "best.pt")
    dist.destroy_process_group()


if __name__ == "__main__":
    main()
