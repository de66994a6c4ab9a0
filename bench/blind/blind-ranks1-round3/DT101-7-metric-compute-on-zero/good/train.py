import json
import os

import torch
import torch.distributed as dist
from torch import nn
from torch.nn.parallel import DistributedDataParallel as DDP
from torch.utils.data import DataLoader, DistributedSampler, TensorDataset

from scoring import Scores


def loader_of(data, batch_size, train):
    sampler = DistributedSampler(data, shuffle=train, drop_last=train)
    return DataLoader(data, batch_size, sampler=sampler, drop_last=train), sampler


def publish(epoch, scores):
    table = scores.table()
    if dist.get_rank() == 0:
        with open("scores.jsonl", "a") as f:
            f.write(json.dumps({"epoch": epoch, **table}) + "\n")


def main():
    cuda = torch.cuda.is_available()
    local_rank = int(os.environ["LOCAL_RANK"])
    if cuda:
        torch.cuda.set_device(local_rank)
    dist.init_process_group("nccl" if cuda else "gloo")
    device = torch.device("cuda", local_rank) if cuda else torch.device("cpu")
    torch.manual_seed(0)
    model = DDP(nn.Linear(10, 4).to(device), device_ids=[local_rank] if cuda else None)
    opt = torch.optim.AdamW(model.parameters(), lr=1e-2)
    x = torch.randn(384, 10, generator=torch.Generator().manual_seed(0))
    y = x[:, :4].argmax(1)
    train, sampler = loader_of(TensorDataset(x[:256], y[:256]), 16, True)
    val, _ = loader_of(TensorDataset(x[256:], y[256:]), 16, False)
    scores = Scores(4, device)
    for epoch in range(2):
        sampler.set_epoch(epoch)
        model.train()
        for a, b in train:
            opt.zero_grad()
            nn.functional.cross_entropy(model(a.to(device)), b.to(device)).backward()
            opt.step()
        model.eval()
        with torch.no_grad():
            for a, b in val:
                scores.update(model.module(a.to(device)), b.to(device))
        publish(epoch, scores)
        scores.reset()
    dist.barrier()
    dist.destroy_process_group()


if __name__ == "__main__":
    main()
