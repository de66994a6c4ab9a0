import os

import torch
import torch.distributed as dist
import torch.nn as nn
import torch.nn.functional as F
from torch.nn.parallel import DistributedDataParallel as DDP
from torch.utils.data import DataLoader, DistributedSampler, TensorDataset


class TwoTowers(nn.Module):
    def __init__(self, image_dim=48, text_dim=32, dim=64):
        super().__init__()
        self.image = nn.Sequential(nn.Linear(image_dim, dim), nn.ReLU(), nn.Linear(dim, dim))
        self.text = nn.Sequential(nn.Linear(text_dim, dim), nn.ReLU(), nn.Linear(dim, dim))
        self.log_scale = nn.Parameter(torch.tensor(2.6))

    def forward(self, image, text):
        return F.normalize(self.image(image), dim=-1), F.normalize(self.text(text), dim=-1), self.log_scale.exp()


class ContrastiveLoss(nn.Module):
    def __init__(self, rank, world_size):
        super().__init__()
        self.rank, self.world_size = rank, world_size

    def everyone(self, features):
        parts = [torch.empty_like(features) for _ in range(self.world_size)]
        dist.all_gather(parts, features.contiguous())
        return torch.cat(parts)

    def forward(self, image, text, scale):
        labels = torch.arange(len(image), device=image.device) + self.rank * len(image)
        to_text = scale * image @ self.everyone(text).t()
        to_image = scale * text @ self.everyone(image).t()
        return (F.cross_entropy(to_text, labels) + F.cross_entropy(to_image, labels)) / 2


def pairs(n=4096):
    gen = torch.Generator().manual_seed(55)
    latent = torch.randn(n, 16, generator=gen)
    image = latent @ torch.randn(16, 48, generator=gen)
    return TensorDataset(image, latent @ torch.randn(16, 32, generator=gen))


def main(epochs=3):
    cuda = torch.cuda.is_available()
    local_rank = int(os.environ["LOCAL_RANK"])
    if cuda:
        torch.cuda.set_device(local_rank)
    dist.init_process_group("nccl" if cuda else "gloo")
    rank, world = dist.get_rank(), dist.get_world_size()
    device = torch.device("cuda", local_rank) if cuda else torch.device("cpu")
    torch.manual_seed(0)
    model = DDP(TwoTowers().to(device), device_ids=[local_rank] if cuda else None)
    criterion = ContrastiveLoss(rank, world)
    opt = torch.optim.AdamW(model.parameters(), lr=5e-4)
    data = pairs()
    sampler = DistributedSampler(data, drop_last=True)
    loader = DataLoader(data, batch_size=64, sampler=sampler, drop_last=True)
    for epoch in range(epochs):
        sampler.set_epoch(epoch)
        for image, text in loader:
            opt.zero_grad(set_to_none=True)
            loss = criterion(*model(image.to(device), text.to(device)))
            loss.backward()
            opt.step()
    if rank == 0:
        torch.save(model.module.state_dict(), "towers.pt")
    dist.destroy_process_group()


if __name__ == "__main__":
    main()
