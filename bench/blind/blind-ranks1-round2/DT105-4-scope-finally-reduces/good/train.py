import json
import os
from pathlib import Path

import torch
import torch.distributed as dist
from torch import nn
from torch.nn.parallel import DistributedDataParallel as DDP

from accounting import Tokens

STEPS = 6


def rows(folder, rank):
    with open(Path(folder) / f"rank{rank:02d}.jsonl") as f:
        for line in f:
            yield torch.tensor(json.loads(line)["ids"])


def epoch(model, opt, source, tokens, device):
    with tokens.counting():
        for _, ids in zip(range(STEPS), source):
            ids = ids.to(device)
            tokens.saw(ids.numel())
            opt.zero_grad()
            logits = model(ids[:-1])
            nn.functional.cross_entropy(logits, ids[1:]).backward()
            opt.step()


def main(folder):
    cuda = torch.cuda.is_available()
    local_rank = int(os.environ["LOCAL_RANK"])
    if cuda:
        torch.cuda.set_device(local_rank)
    dist.init_process_group("nccl" if cuda else "gloo")
    rank = dist.get_rank()
    device = torch.device("cuda", local_rank) if cuda else torch.device("cpu")
    torch.manual_seed(0)
    net = nn.Sequential(nn.Embedding(32, 8), nn.Linear(8, 32)).to(device)
    model = DDP(net, device_ids=[local_rank] if cuda else None)
    opt = torch.optim.Adam(model.parameters(), lr=1e-3)
    tokens = Tokens(device)
    epoch(model, opt, rows(folder, rank), tokens, device)
    if rank == 0:
        print(f"trained on {tokens.total} tokens")
        torch.save(net.state_dict(), "net.pt")
    dist.barrier()
    dist.destroy_process_group()


if __name__ == "__main__":
    main(os.environ.get("ROWS", "rows"))
