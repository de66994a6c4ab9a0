import os
import sqlite3
from dataclasses import dataclass

import torch
import torch.distributed as dist
import torch.nn as nn
from torch.nn.parallel import DistributedDataParallel as DDP


@dataclass(frozen=True)
class Place:
    rank: int
    local_rank: int
    local_world: int

    @classmethod
    def from_env(cls):
        return cls(int(os.environ["RANK"]), int(os.environ["LOCAL_RANK"]), int(os.environ["LOCAL_WORLD_SIZE"]))

    @property
    def node(self):
        return self.rank // self.local_world

    @property
    def leader(self):
        return self.node * self.local_world


def node_groups(place, world):
    mine = None
    for first in range(0, world, place.local_world):
        group = dist.new_group(list(range(first, first + place.local_world)))
        if first == place.leader:
            mine = group
    return mine


def read_table(rows, width):
    con = sqlite3.connect("/local/nvme/embeddings.sqlite")
    table = torch.zeros(rows, width)
    for key, blob in con.execute("select id, vector from vectors where id < ?", (rows,)):
        table[key] = torch.frombuffer(bytearray(blob), dtype=torch.float32)
    return table


def shared_table(place, group, device, rows=10_000, width=64):
    """One reader for each node; its neighbours get the table over the node's own links."""
    if place.local_rank == 0:
        table = read_table(rows, width).to(device)
    else:
        table = torch.zeros(rows, width, device=device)
    dist.broadcast(table, src=place.leader, group=group)
    return table


class Scorer(nn.Module):
    def __init__(self, table):
        super().__init__()
        self.register_buffer("table", table, persistent=False)
        self.head = nn.Linear(table.shape[1], 1)

    def forward(self, ids):
        return self.head(self.table[ids]).squeeze(-1)


def main():
    place = Place.from_env()
    torch.cuda.set_device(place.local_rank)
    device = torch.device("cuda", place.local_rank)
    dist.init_process_group("nccl", device_id=device)
    group = node_groups(place, dist.get_world_size())
    torch.manual_seed(1)
    model = DDP(Scorer(shared_table(place, group, device)).to(device), device_ids=[place.local_rank], broadcast_buffers=False)
    opt = torch.optim.Adagrad(model.parameters(), lr=0.05)
    draw = torch.Generator().manual_seed(1000 + place.rank)
    for _ in range(200):
        ids = torch.randint(0, 10_000, (256,), generator=draw).to(device)
        target = (ids % 2).float()
        opt.zero_grad()
        nn.functional.binary_cross_entropy_with_logits(model(ids), target).backward()
        opt.step()
    if place.rank == 0:
        torch.save(model.module.head.state_dict(), "head.pt")
    dist.destroy_process_group()


if __name__ == "__main__":
    main()
