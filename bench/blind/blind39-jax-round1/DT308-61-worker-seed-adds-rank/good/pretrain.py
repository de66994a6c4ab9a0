import json
import os
import sys

import torch
import torch.distributed as dist
from torch import nn
from torch.nn.parallel import DistributedDataParallel

from data import make_loader


class Codec(nn.Module):
    def __init__(self, width):
        super().__init__()
        self.encoder = nn.Conv1d(1, width, 64, stride=32)
        self.decoder = nn.ConvTranspose1d(width, 1, 64, stride=32)

    def forward(self, wave):
        return self.decoder(torch.tanh(self.encoder(wave)))


def main(config_path):
    with open(config_path) as handle:
        cfg = {"batch_size": 32, "workers": 4, "seed": 100, "epochs": 10, "width": 128, **json.load(handle)}
    dist.init_process_group("nccl")
    rank, world, local = dist.get_rank(), dist.get_world_size(), int(os.environ["LOCAL_RANK"])
    torch.cuda.set_device(local)
    loader, sampler = make_loader(cfg["clips"], cfg, rank, world)
    model = DistributedDataParallel(Codec(cfg["width"]).cuda(), device_ids=[local])
    optimizer = torch.optim.Adam(model.parameters(), lr=1e-4)
    for epoch in range(cfg["epochs"]):
        sampler.set_epoch(epoch)
        for wave in loader:
            wave = wave.unsqueeze(1).cuda(non_blocking=True)
            out = model(wave)
            loss = (out - wave[..., : out.shape[-1]]).abs().mean()
            optimizer.zero_grad()
            loss.backward()
            optimizer.step()
    if rank == 0:
        torch.save(model.module.state_dict(), cfg.get("output", "codec.pt"))
    dist.destroy_process_group()


if __name__ == "__main__":
    main(sys.argv[1])
