import os

import torch
import torch.distributed as dist
import torch.nn as nn
import torch.nn.functional as F
from torch.nn.parallel import DistributedDataParallel as DDP
from torch.utils.data import DataLoader, DistributedSampler, TensorDataset

from store import Store


def table(n, seed):
    gen = torch.Generator().manual_seed(seed)
    x = torch.randn(n, 22, generator=gen)
    return TensorDataset(x, x.pow(2).sum(dim=1).sqrt())


@torch.no_grad()
def score(model, loader, device):
    model.eval()
    sums = torch.zeros(2, device=device, dtype=torch.float64)
    for x, y in loader:
        error = model.module(x.to(device)).squeeze(-1) - y.to(device)
        sums += torch.stack([error.abs().sum().double(), torch.tensor(float(len(y)), device=device).double()])
    dist.all_reduce(sums)
    model.train()
    return (sums[0] / sums[1]).item()


def main(epochs=10):
    local_rank = int(os.environ["LOCAL_RANK"])
    torch.cuda.set_device(local_rank)
    dist.init_process_group("nccl")
    device = torch.device("cuda", local_rank)
    torch.manual_seed(0)
    net = nn.Sequential(nn.Linear(22, 96), nn.SiLU(), nn.Linear(96, 1)).to(device)
    model = DDP(net, device_ids=[local_rank])
    opt = torch.optim.AdamW(model.parameters(), lr=2e-3)
    train, held = table(8192, 0), table(1024, 1)
    sampler = DistributedSampler(train, drop_last=True)
    train_loader = DataLoader(train, batch_size=64, sampler=sampler, drop_last=True)
    held_loader = DataLoader(held, batch_size=64, sampler=DistributedSampler(held, shuffle=False))
    store = Store("/shared/norms/run3")
    for epoch in range(epochs):
        sampler.set_epoch(epoch)
        for x, y in train_loader:
            opt.zero_grad(set_to_none=True)
            F.l1_loss(model(x.to(device)).squeeze(-1), y.to(device)).backward()
            opt.step()
        store.keep_epoch({"net": net.state_dict(), "epoch": epoch}, epoch, score(model, held_loader, device))
    net.load_state_dict(store.load_best(device)["net"])
    final = score(model, held_loader, device)
    if dist.get_rank() == 0:
        print(f"best held-out error {final:.4f}")
    dist.destroy_process_group()


if __name__ == "__main__":
    main()
