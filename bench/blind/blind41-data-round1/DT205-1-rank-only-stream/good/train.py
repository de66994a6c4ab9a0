import json
import os
from itertools import islice

import torch
import torch.distributed as dist
import torch.nn.functional as F
from torch import nn
from torch.nn.parallel import DistributedDataParallel as DDP
from torch.utils.data import DataLoader, IterableDataset, get_worker_info


class JsonLines(IterableDataset):
    def __init__(self, path, rank, world, limit):
        super().__init__()
        self.path, self.rank, self.world, self.limit = path, rank, world, limit

    def _rows(self):
        with open(self.path) as handle:
            yield from handle

    def __iter__(self):
        info = get_worker_info()
        workers, worker = (info.num_workers, info.id) if info else (1, 0)
        start, stride = self.rank * workers + worker, self.world * workers
        for line in islice(self._rows(), start, self.limit, stride):
            row = json.loads(line)
            yield torch.tensor(row["x"]), torch.tensor(row["y"])


def main(path="train.jsonl", limit=1_024_000, steps=1000):
    local = int(os.environ["LOCAL_RANK"])
    torch.cuda.set_device(local)
    dist.init_process_group("nccl")
    torch.manual_seed(0)
    data = JsonLines(path, dist.get_rank(), dist.get_world_size(), limit)
    loader = DataLoader(data, batch_size=32, num_workers=4, drop_last=True)
    model = DDP(nn.Linear(32, 4).cuda(), device_ids=[local])
    optimizer = torch.optim.Adam(model.parameters(), lr=1e-3)
    for step, (x, y) in zip(range(steps), loader):
        loss = F.cross_entropy(model(x.cuda()), y.cuda())
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
    if dist.get_rank() == 0:
        torch.save(model.module.state_dict(), "clf.pt")
    dist.destroy_process_group()


if __name__ == "__main__":
    main()
