"""Streaming JSONL: IterableDataset split by rank and worker, equal steps for all ranks by a fixed number."""
import json
import os
from pathlib import Path

import torch
import torch.distributed as dist
from torch.distributed.elastic.multiprocessing.errors import record
from torch.nn.parallel import DistributedDataParallel as DDP
from torch.utils.data import DataLoader, IterableDataset, get_worker_info


class JsonLines(IterableDataset):
    def __init__(self, folder, rank, world, seed=0):
        self.files = sorted(Path(folder).glob("*.jsonl"))
        self.rank, self.world, self.seed, self.epoch = rank, world, seed, 0

    def set_epoch(self, epoch):
        self.epoch = epoch

    def lines(self):
        order = torch.randperm(len(self.files), generator=torch.Generator().manual_seed(self.seed + self.epoch)).tolist()
        for i in order:
            with open(self.files[i]) as f:
                yield from f

    def __iter__(self):
        info = get_worker_info()
        count, mine = (info.num_workers, info.id) if info is not None else (1, 0)
        total, me = self.world * count, self.rank * count + mine
        for i, line in enumerate(self.lines()):
            if i % total == me:
                row = json.loads(line)
                yield torch.tensor(row["x"], dtype=torch.float32), torch.tensor(row["y"], dtype=torch.float32)


def batches(loader, dataset):
    epoch = 0
    while True:
        dataset.set_epoch(epoch)
        yield from loader
        epoch += 1


@record
def main():
    dist.init_process_group("nccl")
    rank, world = dist.get_rank(), dist.get_world_size()
    device = torch.device("cuda", int(os.environ["LOCAL_RANK"]))
    torch.cuda.set_device(device)
    data = JsonLines("corpus", rank, world)
    loader = DataLoader(data, batch_size=32, num_workers=2, drop_last=True)
    torch.manual_seed(0)
    model = DDP(torch.nn.Linear(100, 1).to(device), device_ids=[device.index])
    optimizer = torch.optim.SGD(model.parameters(), 0.1)
    source = batches(loader, data)
    for step in range(5000):
        x, y = next(source)
        loss = torch.nn.functional.mse_loss(model(x.to(device)).squeeze(-1), y.to(device))
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
        if step % 500 == 499:
            if rank == 0:
                torch.save(model.module.state_dict(), f"lines-{step}.pt")
            dist.barrier()
    dist.destroy_process_group()


if __name__ == "__main__":
    main()
