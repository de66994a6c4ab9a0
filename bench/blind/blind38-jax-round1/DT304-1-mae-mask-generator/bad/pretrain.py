import argparse
import os

import torch
import torch.distributed as dist
from torch import nn
from torch.nn.parallel import DistributedDataParallel
from torch.utils.data import DataLoader, Dataset, DistributedSampler

from masking import PatchMasker


class PatchedImages(Dataset):
    def __init__(self, path):
        self.patches = torch.load(path, map_location="cpu", mmap=True)

    def __len__(self):
        return len(self.patches)

    def __getitem__(self, index):
        return self.patches[index].float()


class MaskedAutoencoder(nn.Module):
    def __init__(self, dim, width=128):
        super().__init__()
        self.embed = nn.Linear(dim, width)
        layer = nn.TransformerEncoderLayer(width, 4, 4 * width, batch_first=True)
        self.encoder = nn.TransformerEncoder(layer, 2)
        self.mask_token = nn.Parameter(torch.zeros(1, 1, width))
        self.decoder = nn.Linear(width, dim)

    def forward(self, patches, kept, mask):
        tokens = self.embed(patches)
        index = kept.unsqueeze(-1).expand(-1, -1, tokens.size(-1))
        visible = self.encoder(tokens.gather(1, index))
        full = self.mask_token.expand(tokens.size(0), tokens.size(1), -1).scatter(1, index, visible)
        error = (self.decoder(full) - patches).pow(2).mean(dim=-1)
        return (error * mask).sum() / mask.sum()


def parse():
    parser = argparse.ArgumentParser()
    parser.add_argument("--data", default="patches.pt")
    parser.add_argument("--mask-ratio", type=float, default=0.75)
    parser.add_argument("--epochs", type=int, default=40)
    parser.add_argument("--batch-size", type=int, default=128)
    parser.add_argument("--seed", type=int, default=3)
    return parser.parse_args()


def main():
    args = parse()
    local_rank = int(os.environ["LOCAL_RANK"])
    torch.cuda.set_device(local_rank)
    device = torch.device("cuda", local_rank)
    dist.init_process_group("nccl")
    rank = dist.get_rank()
    torch.manual_seed(args.seed)
    data = PatchedImages(args.data)
    model = MaskedAutoencoder(data.patches.size(-1)).to(device)
    model = DistributedDataParallel(model, device_ids=[local_rank])
    optimizer = torch.optim.AdamW(model.parameters(), lr=1.5e-4, weight_decay=0.05)
    sampler = DistributedSampler(data, shuffle=True, seed=args.seed, drop_last=True)
    loader = DataLoader(data, args.batch_size, sampler=sampler, num_workers=4, pin_memory=True, drop_last=True)
    masker = PatchMasker(args.mask_ratio, args.seed, device)
    for epoch in range(args.epochs):
        sampler.set_epoch(epoch)
        for patches in loader:
            patches = patches.to(device, non_blocking=True)
            kept, mask = masker(patches.size(0), patches.size(1))
            loss = model(patches, kept, mask)
            optimizer.zero_grad(set_to_none=True)
            loss.backward()
            optimizer.step()
        if rank == 0:
            torch.save(model.module.state_dict(), f"mae_{epoch:03d}.pt")
    dist.destroy_process_group()


if __name__ == "__main__":
    main()
