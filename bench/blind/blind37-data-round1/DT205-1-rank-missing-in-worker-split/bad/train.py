import argparse
import os
from itertools import islice
from pathlib import Path

import torch
import torch.distributed as dist
import torch.nn as nn
from torch.nn.parallel import DistributedDataParallel
from torch.utils.data import DataLoader

from parquet_stream import ParquetStream

COLUMNS = [f"f{i}" for i in range(40)] + ["target"]


class Tabular(nn.Module):
    def __init__(self, width=256):
        super().__init__()
        self.body = nn.Sequential(nn.Linear(40, width), nn.SiLU(), nn.Linear(width, width), nn.SiLU())
        self.head = nn.Linear(width, 1)

    def forward(self, x):
        return self.head(self.body(x)).squeeze(-1)


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--data", type=Path, default=Path("/data/clicks"))
    parser.add_argument("--steps", type=int, default=20_000)
    parser.add_argument("--batch-size", type=int, default=1024)
    args = parser.parse_args()

    local_rank = int(os.environ["LOCAL_RANK"])
    torch.cuda.set_device(local_rank)
    dist.init_process_group("nccl")
    rank, world_size = dist.get_rank(), dist.get_world_size()
    torch.manual_seed(11)

    rows = ParquetStream(args.data.glob("part-*.parquet"), COLUMNS, rank, world_size)
    loader = DataLoader(rows, batch_size=args.batch_size, num_workers=4, pin_memory=True)
    model = DistributedDataParallel(Tabular().cuda(), device_ids=[local_rank])
    optimizer = torch.optim.AdamW(model.parameters(), lr=1e-3)
    lossf = nn.BCEWithLogitsLoss()
    for step, rows_batch in enumerate(islice(loader, args.steps)):
        rows_batch = rows_batch.cuda(non_blocking=True)
        loss = lossf(model(rows_batch[:, :-1]), rows_batch[:, -1])
        optimizer.zero_grad(set_to_none=True)
        loss.backward()
        optimizer.step()
        if step % 100 == 0 and rank == 0:
            print(f"{step:>6} {loss.item():.4f}")
    if rank == 0:
        torch.save(model.module.state_dict(), "tabular.pt")
    dist.destroy_process_group()


if __name__ == "__main__":
    main()
