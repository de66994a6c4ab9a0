import os
import sys

import torch
import torch.distributed as dist
import yaml
from torch import nn
from torch.nn.parallel import DistributedDataParallel as DDP
from torch.utils.data import DataLoader, DistributedSampler, TensorDataset

from masking import BlockMasker

DEFAULTS = dict(patches="patches.pt", grid=14, ratio=0.4, dim=192, batch=64, epochs=30, lr=1.5e-4, seed=13)


class MaskedEncoder(nn.Module):
    def __init__(self, dim):
        super().__init__()
        self.hole = nn.Parameter(torch.zeros(dim))
        layer = nn.TransformerEncoderLayer(dim, 4, 4 * dim, batch_first=True, dropout=0.0)
        self.body = nn.TransformerEncoder(layer, 4)
        self.head = nn.Linear(dim, dim)

    def forward(self, patches, mask):
        x = torch.where(mask[..., None], self.hole.expand_as(patches), patches)
        return self.head(self.body(x))


def main():
    cfg = dict(DEFAULTS)
    if len(sys.argv) > 1:
        with open(sys.argv[1]) as handle:
            cfg.update(yaml.safe_load(handle))
    dist.init_process_group("nccl")
    rank, local = dist.get_rank(), int(os.environ["LOCAL_RANK"])
    torch.cuda.set_device(local)
    torch.manual_seed(cfg["seed"])
    data = TensorDataset(torch.load(cfg["patches"], map_location="cpu"))
    sampler = DistributedSampler(data, seed=cfg["seed"], drop_last=True)
    loader = DataLoader(data, cfg["batch"], sampler=sampler, num_workers=4, pin_memory=True, drop_last=True)
    model = DDP(MaskedEncoder(cfg["dim"]).cuda(), device_ids=[local])
    optimizer = torch.optim.AdamW(model.parameters(), lr=cfg["lr"], weight_decay=0.05)
    masker = BlockMasker(cfg["grid"], cfg["ratio"], cfg["seed"] + rank)
    for epoch in range(cfg["epochs"]):
        sampler.set_epoch(epoch)
        for (patches,) in loader:
            patches = patches.cuda(non_blocking=True)
            mask = masker(patches.shape[0], patches.device)
            error = (model(patches, mask) - patches).square().mean(-1)
            loss = (error * mask).sum() / mask.sum().clamp(min=1)
            optimizer.zero_grad(set_to_none=True)
            loss.backward()
            optimizer.step()
        if rank == 0:
            torch.save(model.module.state_dict(), "mim.pt")
    dist.destroy_process_group()


if __name__ == "__main__":
    main()
