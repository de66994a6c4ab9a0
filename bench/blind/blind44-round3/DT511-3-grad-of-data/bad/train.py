import os

import torch
import torch.distributed as dist
from torch import nn
from torch.nn.parallel import DistributedDataParallel as DDP
from torch.utils.data import DataLoader, DistributedSampler, TensorDataset

from grads.clear import clear
from grads.clip import clip_by_value, decay


def main(epochs=2):
    cuda = torch.cuda.is_available()
    device = torch.device("cuda", int(os.environ["LOCAL_RANK"])) if cuda else torch.device("cpu")
    if cuda:
        torch.cuda.set_device(device)
    dist.init_process_group("nccl" if cuda else "gloo")
    torch.manual_seed(0)
    model = DDP(nn.Linear(6, 1).to(device), device_ids=[device.index] if cuda else None)
    params = list(model.parameters())
    opt = torch.optim.SGD(params, lr=0.1)
    x = torch.randn(640, 6, generator=torch.Generator().manual_seed(0))
    data = TensorDataset(x, x[:, :1])
    sampler = DistributedSampler(data, drop_last=True)
    loader = DataLoader(data, 32, sampler=sampler, drop_last=True)
    for epoch in range(epochs):
        sampler.set_epoch(epoch)
        for a, b in loader:
            clear(params)
            nn.functional.mse_loss(model(a.to(device)), b.to(device)).backward()
            clip_by_value(params, 1.0)
            opt.step()
            decay(params, 1e-4)
    dist.destroy_process_group()


if __name__ == "__main__":
    main()
