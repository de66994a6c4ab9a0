import json

import torch
import torch.distributed as dist
from torch import nn
from torch.nn.parallel import DistributedDataParallel as DDP
from torch.utils.data import DataLoader, DistributedSampler, TensorDataset

import comm


def train_epoch(model, loader, opt, device):
    total = torch.zeros((), device=device)
    for a, b in loader:
        loss = nn.functional.mse_loss(model(a.to(device)), b.to(device))
        opt.zero_grad()
        loss.backward()
        opt.step()
        total += loss.detach()
    return comm.mean(total / len(loader)).item()


def main():
    device = comm.start()
    torch.manual_seed(0)
    net = nn.Sequential(nn.Linear(5, 16), nn.Softplus(), nn.Linear(16, 1)).to(device)
    model = DDP(net, device_ids=[device.index] if device.type == "cuda" else None)
    opt = torch.optim.Adam(model.parameters(), lr=1e-2)
    x = torch.randn(256, 5, generator=torch.Generator().manual_seed(0))
    data = TensorDataset(x, x[:, :1].exp())
    sampler = DistributedSampler(data, drop_last=True)
    loader = DataLoader(data, 16, sampler=sampler, drop_last=True)
    rows = []
    for epoch in range(3):
        sampler.set_epoch(epoch)
        rows.append({"epoch": epoch, "loss": train_epoch(model, loader, opt, device)})
        if comm.is_main():
            torch.save(net.state_dict(), "net.pt")
            with open("history.json", "w") as f:
                json.dump(rows, f)
    dist.barrier()
    dist.destroy_process_group()


if __name__ == "__main__":
    main()
