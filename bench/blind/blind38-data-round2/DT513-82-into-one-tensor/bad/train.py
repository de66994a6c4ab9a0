"""SimCLR on vectors: negatives come from all ranks."""
import os

import torch
import torch.distributed as dist
import torch.nn.functional as F
from torch import nn
from torch.nn.parallel import DistributedDataParallel as DDP
from torch.utils.data import DataLoader, DistributedSampler, TensorDataset


class AllRanks:
    """Puts the embeddings of all ranks below each other."""

    def __init__(self):
        self.rank, self.world = dist.get_rank(), dist.get_world_size()

    def __call__(self, z):
        z = z.contiguous()
        everybody = torch.empty(self.world * len(z), z.shape[1], dtype=z.dtype, device=z.device)
        dist.all_gather_into_tensor(everybody, z)
        return everybody

    def offset(self, z):
        return self.rank * len(z)


def info_nce(a, b, gather, temperature=0.1):
    everybody = gather(b)
    scores = a @ everybody.t() / temperature
    target = torch.arange(len(a), device=a.device) + gather.offset(a)
    return F.cross_entropy(scores, target)


class Encoder(nn.Module):
    def __init__(self, width=64):
        super().__init__()
        self.net = nn.Sequential(nn.Linear(width, 256), nn.ReLU(), nn.Linear(256, 64))

    def forward(self, views):
        return [F.normalize(self.net(view), dim=-1) for view in views]


def views(x, generator):
    return [x + 0.2 * torch.randn(x.shape, generator=generator) for _ in range(2)]


def main():
    local = int(os.environ["LOCAL_RANK"])
    device = torch.device("cuda", local)
    torch.cuda.set_device(device)
    dist.init_process_group("nccl", device_id=device)
    torch.manual_seed(0)
    noise = torch.Generator().manual_seed(1000 + dist.get_rank())
    rows = TensorDataset(torch.randn(4096, 64, generator=torch.Generator().manual_seed(5)))
    sampler = DistributedSampler(rows, drop_last=True)
    loader = DataLoader(rows, batch_size=128, sampler=sampler, drop_last=True)
    model = DDP(Encoder().to(device), device_ids=[local])
    optimizer = torch.optim.Adam(model.parameters(), lr=1e-3)
    gather = AllRanks()
    for epoch in range(5):
        sampler.set_epoch(epoch)
        for (x,) in loader:
            a, b = model([view.to(device) for view in views(x, noise)])
            loss = info_nce(a, b, gather)
            optimizer.zero_grad(set_to_none=True)
            loss.backward()
            optimizer.step()
        shown = loss.detach().clone()
        dist.all_reduce(shown)
        if dist.get_rank() == 0:
            print(epoch, shown.item() / dist.get_world_size(), flush=True)
    if dist.get_rank() == 0:
        torch.save(model.module.state_dict(), "simclr.pt")
    dist.destroy_process_group()


if __name__ == "__main__":
    main()
