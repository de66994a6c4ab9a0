"""Masked autoencoder on stored patch embeddings."""
import argparse
import os

import torch
import torch.distributed as dist
import torch.nn as nn
from torch.nn.parallel import DistributedDataParallel as DDP
from torch.utils.data import DataLoader, Dataset, DistributedSampler


class PatchFile(Dataset):
    def __init__(self, path):
        self.patches = torch.load(path, map_location="cpu", mmap=True)

    def __len__(self):
        return len(self.patches)

    def __getitem__(self, i):
        return self.patches[i].float()


class MaskedAutoencoder(nn.Module):
    def __init__(self, dim, depth=6, heads=8):
        super().__init__()
        layer = nn.TransformerEncoderLayer(dim, heads, 4 * dim, batch_first=True, norm_first=True)
        self.encoder = nn.TransformerEncoder(layer, depth)
        self.token = nn.Parameter(torch.zeros(dim))
        self.head = nn.Linear(dim, dim)

    def forward(self, x, mask):
        filled = torch.where(mask[..., None], self.token, x)
        out = self.head(self.encoder(filled))
        return ((out - x) ** 2).mean(-1)[mask].mean()


class RandomMask:
    """Hides the same share of patches in each image."""

    def __init__(self, ratio, seed, device):
        self.ratio = ratio
        self.generator = torch.Generator(device=device)
        self.generator.manual_seed(seed)

    def __call__(self, batch, patches):
        scores = torch.rand(batch, patches, generator=self.generator, device=self.generator.device)
        hidden = scores.argsort(dim=1)[:, : int(self.ratio * patches)]
        return torch.zeros_like(scores, dtype=torch.bool).scatter_(1, hidden, True)


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--patches", required=True)
    parser.add_argument("--seed", type=int, default=42)
    parser.add_argument("--epochs", type=int, default=100)
    args = parser.parse_args()
    local = int(os.environ["LOCAL_RANK"])
    torch.cuda.set_device(local)
    device = torch.device("cuda", local)
    dist.init_process_group("nccl")
    torch.manual_seed(args.seed)
    data = PatchFile(args.patches)
    sampler = DistributedSampler(data, seed=args.seed, drop_last=True)
    loader = DataLoader(data, 64, sampler=sampler, num_workers=4, pin_memory=True, drop_last=True)
    model = DDP(MaskedAutoencoder(data[0].shape[-1]).to(device), device_ids=[local])
    optimizer = torch.optim.AdamW(model.parameters(), lr=1.5e-4, betas=(0.9, 0.95))
    masking = RandomMask(0.75, args.seed, device)
    for epoch in range(args.epochs):
        sampler.set_epoch(epoch)
        for x in loader:
            x = x.to(device, non_blocking=True)
            loss = model(x, masking(*x.shape[:2]))
            optimizer.zero_grad(set_to_none=True)
            loss.backward()
            optimizer.step()
        if dist.get_rank() == 0:
            torch.save(model.module.state_dict(), "mae.pt")
    dist.destroy_process_group()


if __name__ == "__main__":
    main()
