import os

import torch
import torch.distributed as dist
import torch.nn as nn
from torch.nn.parallel import DistributedDataParallel as DDP
from torch.utils.data import DataLoader, Dataset, DistributedSampler


class Patches(Dataset):
    def __len__(self):
        return 2048

    def __getitem__(self, i):
        return torch.randn(49, 24, generator=torch.Generator().manual_seed(i))


class RandomMask:
    def __init__(self, ratio, device, seed):
        self.ratio = ratio
        self.generator = torch.Generator(device=device).manual_seed(seed)

    def __call__(self, patches):
        scores = torch.rand(patches.shape[:2], device=patches.device, generator=self.generator)
        kept = int(patches.size(1) * (1 - self.ratio))
        order = scores.argsort(dim=1)
        mask = torch.ones_like(scores)
        mask.scatter_(1, order[:, :kept], 0.0)
        return mask


class MaskedAutoencoder(nn.Module):
    def __init__(self, dim=24, width=64):
        super().__init__()
        self.token = nn.Parameter(torch.zeros(dim))
        layer = nn.TransformerEncoderLayer(width, 4, 128, dropout=0.0, batch_first=True)
        self.inp = nn.Linear(dim, width)
        self.encoder = nn.TransformerEncoder(layer, 2)
        self.out = nn.Linear(width, dim)

    def forward(self, patches, mask):
        hidden = torch.where(mask.bool().unsqueeze(-1), self.token, patches)
        rebuilt = self.out(self.encoder(self.inp(hidden)))
        error = (rebuilt - patches).pow(2).mean(-1)
        return (error * mask).sum() / mask.sum()


def main(epochs=4, seed=0):
    cuda = torch.cuda.is_available()
    local = int(os.environ["LOCAL_RANK"])
    if cuda:
        torch.cuda.set_device(local)
    dist.init_process_group("nccl" if cuda else "gloo")
    device = torch.device("cuda", local) if cuda else torch.device("cpu")
    torch.manual_seed(seed)
    model = DDP(MaskedAutoencoder().to(device), device_ids=[local] if cuda else None)
    opt = torch.optim.AdamW(model.parameters(), lr=1.5e-4, weight_decay=0.05)
    data = Patches()
    sampler = DistributedSampler(data, seed=seed, drop_last=True)
    loader = DataLoader(data, batch_size=64, sampler=sampler, drop_last=True)
    draw_mask = RandomMask(0.75, device, seed=seed + 1)
    for epoch in range(epochs):
        sampler.set_epoch(epoch)
        for patches in loader:
            patches = patches.to(device)
            loss = model(patches, draw_mask(patches))
            opt.zero_grad()
            loss.backward()
            opt.step()
    if dist.get_rank() == 0:
        torch.save(model.module.state_dict(), "mae.pt")
    dist.barrier()
    dist.destroy_process_group()


if __name__ == "__main__":
    main()
