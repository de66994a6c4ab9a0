import os

import torch
import torch.distributed as dist
from torch import nn
from torch.nn.parallel import DistributedDataParallel as DDP
from torch.utils.data import DataLoader, DistributedSampler

from cols.data import Columns
from cols.mask import reseed


def main(epochs=2):
    cuda = torch.cuda.is_available()
    device = torch.device("cuda", int(os.environ["LOCAL_RANK"])) if cuda else torch.device("cpu")
    if cuda:
        torch.cuda.set_device(device)
    dist.init_process_group("nccl" if cuda else "gloo")
    data = Columns(1024, 12)
    sampler = DistributedSampler(data, drop_last=True)
    loader = DataLoader(data, 32, sampler=sampler, num_workers=4, drop_last=True, worker_init_fn=reseed)
    torch.manual_seed(0)
    model = DDP(nn.Linear(12, 12).to(device), device_ids=[device.index] if cuda else None)
    opt = torch.optim.Adam(model.parameters())
    for epoch in range(epochs):
        sampler.set_epoch(epoch)
        for seen, hidden, x in loader:
            out = model(seen.to(device))
            loss = ((out - x.to(device)).square() * hidden.to(device)).mean()
            opt.zero_grad()
            loss.backward()
            opt.step()
    dist.destroy_process_group()


if __name__ == "__main__":
    main()
