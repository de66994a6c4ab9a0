import functools
import os

import torch
import torch.distributed as dist
import torch.nn.functional as F
from torch import nn
from torch.nn.parallel import DistributedDataParallel
from torch.utils.data import DataLoader, DistributedSampler, TensorDataset


def criterion(model, batch):
    x, y = batch
    return F.cross_entropy(model(x), y)


def train_epoch(loss_of, opt, batches, device):
    for batch in batches:
        loss = loss_of([t.to(device, non_blocking=True) for t in batch])
        opt.zero_grad(set_to_none=True)
        loss.backward()
        opt.step()


def main(epochs=3):
    cuda = torch.cuda.is_available()
    local = int(os.environ["LOCAL_RANK"])
    if cuda:
        torch.cuda.set_device(local)
    dist.init_process_group("nccl" if cuda else "gloo")
    device = torch.device("cuda", local) if cuda else torch.device("cpu")
    torch.manual_seed(0)
    net = nn.Sequential(nn.Linear(25, 75), nn.ReLU(), nn.Linear(75, 5)).to(device)
    model = DistributedDataParallel(net, device_ids=[local] if cuda else None)
    loss_of = functools.partial(criterion, model)
    opt = torch.optim.SGD(model.parameters(), lr=0.05, momentum=0.9)
    x = torch.randn(5000, 25, generator=torch.Generator().manual_seed(3))
    data = TensorDataset(x, x[:, ::5].argmax(1))
    sampler = DistributedSampler(data, drop_last=True)
    loader = DataLoader(data, batch_size=50, sampler=sampler, drop_last=True)
    for epoch in range(epochs):
        sampler.set_epoch(epoch)
        train_epoch(loss_of, opt, loader, device)
        if dist.get_rank() == 0:
            torch.save(model.module.state_dict(), "net.pt")
        dist.barrier()
    dist.destroy_process_group()


if __name__ == "__main__":
    main()
