import json
import os

import torch
import torch.distributed as dist
import torch.nn as nn
from torch.nn.parallel import DistributedDataParallel as DDP


def parse(line):
    try:
        return torch.tensor(json.loads(line)["x"]), 1.0
    except (json.JSONDecodeError, KeyError):
        return torch.zeros(8), 0.0


def main(path="/shared/rows.jsonl"):
    local_rank = int(os.environ["LOCAL_RANK"])
    torch.cuda.set_device(local_rank)
    dist.init_process_group("nccl")
    with open(path) as handle:
        lines = handle.read().splitlines()
    per = len(lines) // dist.get_world_size()
    start = per * dist.get_rank()
    torch.manual_seed(0)
    model = DDP(nn.Linear(8, 8).cuda(), device_ids=[local_rank])
    opt = torch.optim.SGD(model.parameters(), lr=0.1)
    for line in lines[start : start + per]:
        x, weight = parse(line)
        x = x.cuda()
        opt.zero_grad()
        (weight * (model(x) - x).pow(2).mean()).backward()
        opt.step()
    dist.destroy_process_group()


if __name__ == "__main__":
    main()
