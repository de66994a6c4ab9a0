import json
import os

import torch
import torch.distributed as dist
import torch.nn as nn
from torch.nn.parallel import DistributedDataParallel as DDP


class Lines:
    def __init__(self, path, rank, world):
        with open(path) as handle:
            lines = handle.read().splitlines()
        per = len(lines) // world
        self.lines = lines[rank * per : (rank + 1) * per]

    def __iter__(self):
        return iter(self.lines)


def features(line):
    row = json.loads(line)
    return torch.tensor(row["x"]), torch.tensor([row["y"]])


def main(path="/shared/rows.jsonl"):
    local_rank = int(os.environ["LOCAL_RANK"])
    torch.cuda.set_device(local_rank)
    dist.init_process_group("nccl")
    torch.manual_seed(0)
    model = DDP(nn.Linear(16, 1).cuda(), device_ids=[local_rank])
    opt = torch.optim.SGD(model.parameters(), lr=0.01)
    broken = 0
    for epoch in range(2):
        for line in Lines(path, dist.get_rank(), dist.get_world_size()):
            try:
                x, y = features(line)
            except (json.JSONDecodeError, KeyError):
                broken += 1
                x, y = torch.zeros(16), torch.zeros(1)
            loss = (model(x.cuda()) - y.cuda()).pow(2).mean()
            opt.zero_grad()
            loss.backward()
            opt.step()
    print(dist.get_rank(), "broken", broken)
    dist.destroy_process_group()


if __name__ == "__main__":
    main()
