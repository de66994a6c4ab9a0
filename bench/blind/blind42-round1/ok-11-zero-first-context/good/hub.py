"""Rank 0 fills the cache, the others follow; then DDP fine-tuning of a torch.hub backbone."""
import os
from contextlib import contextmanager

import torch
import torch.distributed as dist
import torch.nn as nn
from torch.nn.parallel import DistributedDataParallel as DDP
from torch.utils.data import DataLoader, DistributedSampler, TensorDataset


@contextmanager
def local_zero_first(local_rank):
    if local_rank != 0:
        dist.barrier()
    yield
    if local_rank == 0:
        dist.barrier()


def main(epochs=5):
    local_rank = int(os.environ["LOCAL_RANK"])
    torch.cuda.set_device(local_rank)
    dist.init_process_group("nccl")
    with local_zero_first(local_rank):
        backbone = torch.hub.load("facebookresearch/dinov2", "dinov2_vits14")
    head = nn.Linear(384, 20)
    for p in backbone.parameters():
        p.requires_grad_(False)
    backbone = backbone.cuda().eval()
    model = DDP(head.cuda(), device_ids=[local_rank])
    optimizer = torch.optim.SGD(model.parameters(), 0.01, momentum=0.9)
    data = TensorDataset(*torch.load("crops.pt", map_location="cpu"))
    sampler = DistributedSampler(data, drop_last=True)
    loader = DataLoader(data, 64, sampler=sampler, num_workers=2, pin_memory=True, drop_last=True)
    for epoch in range(epochs):
        sampler.set_epoch(epoch)
        for x, y in loader:
            with torch.no_grad():
                feats = backbone(x.cuda(non_blocking=True))
            loss = nn.functional.cross_entropy(model(feats), y.cuda(non_blocking=True))
            optimizer.zero_grad(set_to_none=True)
            loss.backward()
            optimizer.step()
    if dist.get_rank() == 0:
        torch.save(head.state_dict(), "head.pt")
    dist.barrier()
    dist.destroy_process_group()


if __name__ == "__main__":
    main()
