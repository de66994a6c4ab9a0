import os

import torch
import torch.distributed as dist
import torch.nn.functional as F
from torch.nn.parallel import DistributedDataParallel as DDP
from torch.utils.data import DataLoader, DistributedSampler, TensorDataset

from model import Classifier


def topics(n=40_000, length=64, vocab=5000, classes=12):
    g = torch.Generator().manual_seed(90)
    ids = torch.randint(vocab, (n, length), generator=g)
    return TensorDataset(ids, ids.float().mean(1).long() % classes)


def main():
    local_rank = int(os.environ["LOCAL_RANK"])
    torch.cuda.set_device(local_rank)
    dist.init_process_group("nccl")
    torch.manual_seed(10 + dist.get_rank())
    model = DDP(Classifier().cuda(), device_ids=[local_rank])
    optimizer = torch.optim.AdamW(model.parameters(), lr=3e-4)
    data = topics()
    sampler = DistributedSampler(data, seed=10, drop_last=True)
    loader = DataLoader(data, batch_size=64, sampler=sampler, drop_last=True)
    for epoch in range(6):
        sampler.set_epoch(epoch)
        for ids, topic in loader:
            loss = F.cross_entropy(model(ids.cuda()), topic.cuda())
            optimizer.zero_grad(set_to_none=True)
            loss.backward()
            optimizer.step()
        if dist.get_rank() == 0:
            torch.save(model.module.state_dict(), "topics.pt")
    dist.destroy_process_group()


if __name__ == "__main__":
    main()
