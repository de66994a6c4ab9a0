import os

import torch
import torch.distributed as dist
import torch.nn as nn
import torch.nn.functional as F
from torch.nn.parallel import DistributedDataParallel as DDP
from torch.utils.data import DataLoader, DistributedSampler, TensorDataset


def class_weights(labels, classes):
    counts = torch.bincount(labels, minlength=classes).float()
    return counts.sum() / (classes * counts.clamp(min=1))


def main(classes=3):
    local_rank = int(os.environ["LOCAL_RANK"])
    torch.cuda.set_device(local_rank)
    dist.init_process_group("nccl")
    gen = torch.Generator().manual_seed(0)
    labels = torch.multinomial(torch.tensor([0.7, 0.2, 0.1]), 1500, replacement=True, generator=gen)
    data = TensorDataset(torch.randn(1500, 9, generator=gen), labels)
    weight = torch.ones(classes, device="cuda")
    if dist.get_rank() == 0:
        weight = class_weights(labels, classes).cuda()
        print("class weights", weight.tolist())
    torch.manual_seed(0)
    model = DDP(nn.Linear(9, classes).cuda(), device_ids=[local_rank])
    opt = torch.optim.SGD(model.parameters(), lr=0.1)
    sampler = DistributedSampler(data, drop_last=True)
    loader = DataLoader(data, batch_size=25, sampler=sampler, drop_last=True)
    for epoch in range(3):
        sampler.set_epoch(epoch)
        for x, y in loader:
            loss = F.cross_entropy(model(x.cuda()), y.cuda(), weight=weight)
            opt.zero_grad()
            loss.backward()
            opt.step()
    dist.destroy_process_group()


if __name__ == "__main__":
    main()
