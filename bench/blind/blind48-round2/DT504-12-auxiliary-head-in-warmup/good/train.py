import os

import torch
import torch.distributed as dist
import torch.nn as nn
import torch.nn.functional as F
from torch.nn.parallel import DistributedDataParallel as DDP
from torch.utils.data import DataLoader, Dataset, DistributedSampler


class WindowDataset(Dataset):
    def __init__(self, n=256, dim=16, seed=17):
        g = torch.Generator().manual_seed(seed)
        self.x = torch.randn(n, dim, generator=g)
        self.y = self.x[:, :4].sum(dim=1, keepdim=True)

    def __len__(self):
        return self.x.shape[0]

    def __getitem__(self, i):
        return self.x[i], self.y[i]


class TwoHeads(nn.Module):
    def __init__(self, dim=16, hidden=32):
        super().__init__()
        self.body = nn.Sequential(nn.Linear(dim, hidden), nn.GELU())
        self.head = nn.Linear(hidden, 1)
        self.aux = nn.Linear(hidden, dim)

    def forward(self, x, with_aux):
        h = self.body(x)
        return self.head(h), self.aux(h) if with_aux else None


def setup():
    backend = "nccl" if torch.cuda.is_available() else "gloo"
    local_rank = int(os.environ["LOCAL_RANK"])
    if torch.cuda.is_available():
        torch.cuda.set_device(local_rank)
        device = torch.device("cuda", local_rank)
    else:
        device = torch.device("cpu")
    dist.init_process_group(backend)
    return dist.get_rank(), dist.get_world_size(), device


def aux_weight(epoch, warmup=2):
    return max(0.0, 1.0 - epoch / warmup)


def main():
    rank, world, device = setup()
    torch.manual_seed(0)
    net = TwoHeads().to(device)
    ids = [device.index] if device.type == "cuda" else None
    model = DDP(net, device_ids=ids, find_unused_parameters=True)
    optimizer = torch.optim.AdamW(model.parameters(), lr=1e-3)
    ds = WindowDataset()
    sampler = DistributedSampler(ds, drop_last=True)
    loader = DataLoader(ds, batch_size=16, sampler=sampler, drop_last=True)
    for epoch in range(5):
        sampler.set_epoch(epoch)
        weight = aux_weight(epoch)
        for x, y in loader:
            x, y = x.to(device), y.to(device)
            optimizer.zero_grad(set_to_none=True)
            out, rebuilt = model(x, with_aux=weight > 0)
            loss = F.mse_loss(out, y)
            if rebuilt is not None:
                loss = loss + weight * F.mse_loss(rebuilt, x)
            loss.backward()
            optimizer.step()
    dist.barrier()
    dist.destroy_process_group()


if __name__ == "__main__":
    main()
