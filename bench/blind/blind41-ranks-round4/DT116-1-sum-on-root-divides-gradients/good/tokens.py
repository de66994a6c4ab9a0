import os

import torch
import torch.distributed as dist
import torch.nn as nn
import torch.nn.functional as F
from torch.utils.data import DataLoader, DistributedSampler, TensorDataset


def main():
    local_rank = int(os.environ["LOCAL_RANK"])
    torch.cuda.set_device(local_rank)
    dist.init_process_group("nccl")
    torch.manual_seed(0)
    model = nn.Sequential(nn.Embedding(100, 32), nn.Linear(32, 100)).cuda()
    for p in model.parameters():
        dist.broadcast(p.data, src=0)
    opt = torch.optim.SGD(model.parameters(), lr=0.1)
    gen = torch.Generator().manual_seed(0)
    ids = torch.randint(0, 100, (960, 20), generator=gen)
    ids[torch.rand(ids.shape, generator=gen) < 0.3] = 0
    data = TensorDataset(ids)
    sampler = DistributedSampler(data, drop_last=True)
    loader = DataLoader(data, batch_size=12, sampler=sampler, drop_last=True)
    for epoch in range(2):
        sampler.set_epoch(epoch)
        for (batch,) in loader:
            batch = batch.cuda()
            logits, target = model(batch[:, :-1]), batch[:, 1:]
            loss = F.cross_entropy(logits.flatten(0, 1), target.flatten(), ignore_index=0, reduction="sum")
            opt.zero_grad()
            loss.backward()
            tokens = (target != 0).sum().float()
            dist.all_reduce(tokens)
            for p in model.parameters():
                dist.all_reduce(p.grad)
                p.grad.div_(tokens)
            opt.step()
    dist.destroy_process_group()


if __name__ == "__main__":
    main()
