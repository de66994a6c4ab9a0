import os

import torch
import torch.distributed as dist
import torch.nn.functional as F
from torch import nn
from torch.nn.parallel import DistributedDataParallel as DDP
from torch.optim.lr_scheduler import OneCycleLR
from torch.utils.data import DataLoader, DistributedSampler, TensorDataset

BATCH = 32
EPOCHS = 10


def main():
    cuda = torch.cuda.is_available()
    local = int(os.environ["LOCAL_RANK"])
    if cuda:
        torch.cuda.set_device(local)
    dist.init_process_group("nccl" if cuda else "gloo")
    device = torch.device("cuda", local) if cuda else torch.device("cpu")
    torch.manual_seed(0)
    gen = torch.Generator().manual_seed(1)
    x = torch.randn(8000, 12, generator=gen)
    data = TensorDataset(x, x[:, :2].prod(1, keepdim=True))
    sampler = DistributedSampler(data, shuffle=True, drop_last=True)
    loader = DataLoader(data, batch_size=BATCH, sampler=sampler, drop_last=True)
    model = DDP(nn.Sequential(nn.Linear(12, 64), nn.ReLU(), nn.Linear(64, 1)).to(device))
    opt = torch.optim.SGD(model.parameters(), lr=0.01, momentum=0.9)
    steps = len(loader)
    schedule = OneCycleLR(opt, max_lr=0.1, epochs=EPOCHS, steps_per_epoch=steps)
    for epoch in range(EPOCHS):
        sampler.set_epoch(epoch)
        for features, target in loader:
            loss = F.mse_loss(model(features.to(device)), target.to(device))
            opt.zero_grad(set_to_none=True)
            loss.backward()
            opt.step()
            schedule.step()
        if dist.get_rank() == 0:
            print(epoch, schedule.get_last_lr()[0])
    dist.destroy_process_group()


if __name__ == "__main__":
    main()
