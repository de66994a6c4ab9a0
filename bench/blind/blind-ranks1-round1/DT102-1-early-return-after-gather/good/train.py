import os

import torch
import torch.distributed as dist
import torch.nn.functional as F
from torch import nn
from torch.nn.parallel import DistributedDataParallel as DDP
from torch.utils.data import DataLoader, DistributedSampler, TensorDataset

from evaluation import evaluate


def datasets():
    g = torch.Generator().manual_seed(1)
    x = torch.randn(384, 10, generator=g)
    y = (x[:, 0] + 0.5 * x[:, 1] > 0.7).long()
    return TensorDataset(x[:256], y[:256]), TensorDataset(x[256:], y[256:])


def setup():
    cuda = torch.cuda.is_available()
    local_rank = int(os.environ["LOCAL_RANK"])
    if cuda:
        torch.cuda.set_device(local_rank)
    dist.init_process_group("nccl" if cuda else "gloo")
    return torch.device("cuda", local_rank) if cuda else torch.device("cpu")


def main():
    device = setup()
    torch.manual_seed(0)
    train_set, val_set = datasets()
    sampler = DistributedSampler(train_set, seed=5, drop_last=True)
    train_loader = DataLoader(train_set, batch_size=16, sampler=sampler, drop_last=True)
    val_loader = DataLoader(val_set, batch_size=32, sampler=DistributedSampler(val_set, shuffle=False))
    net = nn.Sequential(nn.Linear(10, 32), nn.ReLU(), nn.Linear(32, 1)).to(device)
    model = DDP(net, device_ids=[device.index] if device.type == "cuda" else None)
    optimizer = torch.optim.Adam(model.parameters(), lr=3e-3)
    for epoch in range(2):
        sampler.set_epoch(epoch)
        model.train()
        for x, y in train_loader:
            optimizer.zero_grad()
            out = model(x.to(device)).squeeze(1)
            F.binary_cross_entropy_with_logits(out, y.to(device).float()).backward()
            optimizer.step()
        score = evaluate(net, val_loader, device)
        if dist.get_rank() == 0:
            print(f"epoch {epoch}: AP {score:.3f}")
            torch.save(net.state_dict(), "last.pt")
    dist.barrier()
    dist.destroy_process_group()


if __name__ == "__main__":
    main()
