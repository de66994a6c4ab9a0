import os
import sys

import torch
import torch.distributed as dist
import torch.nn as nn
from torch.nn.parallel import DistributedDataParallel as DDP
from torch.utils.data import DataLoader, DistributedSampler

from tokenise import encode_all


def collate(rows):
    out = torch.zeros(len(rows), 128, dtype=torch.long)
    for at, row in enumerate(rows):
        out[at, : len(row)] = torch.tensor(row)
    return out


class Bytes(nn.Module):
    def __init__(self):
        super().__init__()
        self.embed, self.rnn, self.out = nn.Embedding(256, 64), nn.GRU(64, 64, batch_first=True), nn.Linear(64, 256)

    def forward(self, ids):
        return self.out(self.rnn(self.embed(ids))[0])


def main(path):
    local_rank = int(os.environ["LOCAL_RANK"])
    with open(path) as f:
        rows = encode_all(f.readlines(), workers=4)
    torch.cuda.set_device(local_rank)
    dist.init_process_group("nccl")
    torch.zeros(1, device="cuda")
    torch.manual_seed(0)
    model = DDP(Bytes().cuda(), device_ids=[local_rank])
    opt = torch.optim.AdamW(model.parameters(), lr=1e-3)
    sampler = DistributedSampler(rows, drop_last=True)
    loader = DataLoader(rows, batch_size=16, sampler=sampler, collate_fn=collate, drop_last=True)
    for epoch in range(2):
        sampler.set_epoch(epoch)
        for ids in loader:
            ids = ids.cuda()
            logits = model(ids[:, :-1])
            loss = nn.functional.cross_entropy(logits.flatten(0, 1), ids[:, 1:].flatten())
            opt.zero_grad(set_to_none=True)
            loss.backward()
            opt.step()
    if dist.get_rank() == 0:
        torch.save(model.module.state_dict(), "bytes.pt")
    dist.destroy_process_group()


if __name__ == "__main__":
    main(sys.argv[1])
