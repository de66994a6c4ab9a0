import os

import torch
import torch.distributed as dist
import torch.nn.functional as F
from torch import nn
from torch.nn.parallel import DistributedDataParallel as DDP
from torch.utils.data import DataLoader, DistributedSampler, TensorDataset

CHUNK = 16


class Encoder(nn.Module):
    def __init__(self, inputs=28, dim=8):
        super().__init__()
        self.net = nn.Sequential(nn.Linear(inputs, 48), nn.ReLU(), nn.Linear(48, dim))

    def forward(self, x):
        return F.normalize(self.net(x), dim=1)


def gather_rows(rows):
    parts = [torch.empty_like(rows) for _ in range(dist.get_world_size())]
    dist.all_gather(parts, rows)
    return torch.cat(parts)


def confident(embeddings, centre, least):
    scores = embeddings @ centre
    return embeddings[scores > least]


@torch.no_grad()
def build_bank(model, loader, centre, device):
    mine = torch.cat([model(x.to(device)) for x, _ in loader])
    chosen = confident(mine, centre, least=0.1)
    bank = []
    for chunk in chosen.split(CHUNK):
        padded = F.pad(chunk, (0, 0, 0, CHUNK - len(chunk)))
        bank.append(gather_rows(padded))
    return torch.cat(bank)


def main():
    cuda = torch.cuda.is_available()
    local_rank = int(os.environ["LOCAL_RANK"])
    if cuda:
        torch.cuda.set_device(local_rank)
    dist.init_process_group("nccl" if cuda else "gloo")
    device = torch.device("cuda", local_rank) if cuda else torch.device("cpu")
    torch.manual_seed(0)
    encoder = Encoder().to(device)
    model = DDP(encoder, device_ids=[local_rank] if cuda else None)
    optimizer = torch.optim.Adam(model.parameters(), lr=1e-3)
    g = torch.Generator().manual_seed(8)
    data = TensorDataset(torch.randn(640, 28, generator=g), torch.randint(0, 2, (640,), generator=g))
    sampler = DistributedSampler(data, drop_last=True)
    loader = DataLoader(data, batch_size=32, sampler=sampler, drop_last=True)
    centre = F.normalize(torch.ones(8), dim=0).to(device)
    for epoch in range(2):
        sampler.set_epoch(epoch)
        for x, y in loader:
            sign = y.to(device).float() * 2 - 1
            loss = F.soft_margin_loss(model(x.to(device)) @ centre, sign)
            optimizer.zero_grad()
            loss.backward()
            optimizer.step()
        bank = build_bank(encoder, loader, centre, device)
        if dist.get_rank() == 0:
            torch.save(bank.cpu(), f"bank_{epoch}.pt")
    dist.destroy_process_group()


if __name__ == "__main__":
    main()
