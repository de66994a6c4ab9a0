import os

import torch
import torch.distributed as dist
import torch.nn as nn
import torch.nn.functional as F
from torch.nn.parallel import DistributedDataParallel as DDP
from torch.optim.lr_scheduler import ReduceLROnPlateau
from torch.utils.data import DataLoader, DistributedSampler, TensorDataset


class RunningMean:
    def __init__(self, device):
        self.value = torch.zeros(2, device=device)

    def update(self, mean, count):
        self.value += torch.stack([mean.detach() * count, torch.tensor(float(count), device=mean.device)])

    def synced(self):
        total = self.value.clone()
        dist.all_reduce(total)
        return (total[0] / total[1]).item()

    def result(self):
        return (self.value[0] / self.value[1]).item()


def loader_for(data, train):
    sampler = DistributedSampler(data, shuffle=train, drop_last=train)
    return DataLoader(data, batch_size=32, sampler=sampler, drop_last=train)


def rows(n, seed):
    gen = torch.Generator().manual_seed(seed)
    x = torch.randn(n, 16, generator=gen)
    return TensorDataset(x, x.prod(dim=1, keepdim=True))


def main(epochs=30):
    cuda = torch.cuda.is_available()
    local_rank = int(os.environ["LOCAL_RANK"])
    if cuda:
        torch.cuda.set_device(local_rank)
    dist.init_process_group("nccl" if cuda else "gloo")
    device = torch.device("cuda", local_rank) if cuda else torch.device("cpu")
    torch.manual_seed(0)
    model = DDP(nn.Sequential(nn.Linear(16, 128), nn.Tanh(), nn.Linear(128, 1)).to(device))
    opt = torch.optim.SGD(model.parameters(), lr=0.05)
    plateau = ReduceLROnPlateau(opt, factor=0.3, patience=2)
    train, val = loader_for(rows(4096, 1), True), loader_for(rows(1024, 2), False)
    for epoch in range(epochs):
        train.sampler.set_epoch(epoch)
        model.train()
        for x, y in train:
            opt.zero_grad(set_to_none=True)
            F.mse_loss(model(x.to(device)), y.to(device)).backward()
            opt.step()
        model.eval()
        mean = RunningMean(device)
        with torch.no_grad():
            for x, y in val:
                mean.update(F.mse_loss(model.module(x.to(device)), y.to(device)), len(y))
        plateau.step(mean.synced())
    if dist.get_rank() == 0:
        torch.save(model.module.state_dict(), "product.pt")
    dist.destroy_process_group()


if __name__ == "__main__":
    main()
