import os
from itertools import islice

import torch
import torch.distributed as dist
import torch.nn.functional as F
from torch import nn
from torch.nn.parallel import DistributedDataParallel as DDP
from torch.utils.data import DataLoader

from stream.lines import Lines
from stream.text import encode


class Bytes(nn.Module):
    def __init__(self, dim=64):
        super().__init__()
        self.emb, self.mix = nn.Embedding(256, dim), nn.GRU(dim, dim, batch_first=True)
        self.out = nn.Linear(dim, 256)

    def forward(self, x):
        return self.out(self.mix(self.emb(x))[0])


def main(steps=2000):
    local = int(os.environ["LOCAL_RANK"])
    torch.cuda.set_device(local)
    dist.init_process_group("nccl")
    torch.manual_seed(0)
    model = DDP(Bytes().cuda(), device_ids=[local])
    opt = torch.optim.AdamW(model.parameters(), lr=1e-3)
    data = Lines("/data/text.txt", encode, dist.get_rank(), dist.get_world_size())
    loader = DataLoader(data, batch_size=32, num_workers=4, drop_last=True)
    for x in islice(loader, steps):
        x = x.cuda(non_blocking=True)
        logits = model(x[:, :-1])
        loss = F.cross_entropy(logits.flatten(0, 1), x[:, 1:].flatten(), ignore_index=0)
        opt.zero_grad()
        loss.backward()
        opt.step()
    dist.destroy_process_group()


if __name__ == "__main__":
    main()
