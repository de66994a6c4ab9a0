import os

import torch
import torch.distributed as dist
from torch import nn
from torch.nn.parallel import DistributedDataParallel as DDP
from torch.utils.data import DataLoader

from parts import CsvRows


def main(steps=500):
    cuda = torch.cuda.is_available()
    local = int(os.environ["LOCAL_RANK"])
    if cuda:
        torch.cuda.set_device(local)
    dist.init_process_group("nccl" if cuda else "gloo")
    device = torch.device("cuda", local) if cuda else torch.device("cpu")
    torch.manual_seed(0)
    model = DDP(nn.Linear(9, 1).to(device), device_ids=[local] if cuda else None)
    opt = torch.optim.SGD(model.parameters(), lr=0.01)
    stream = CsvRows("table", dist.get_rank(), dist.get_world_size())
    loader = DataLoader(stream, batch_size=64, num_workers=4)
    for step, row in enumerate(loader):
        if step == steps:
            break
        row = row.to(device)
        loss = (model(row[:, 1:]) - row[:, :1]).pow(2).mean()
        opt.zero_grad()
        loss.backward()
        opt.step()
    dist.destroy_process_group()


if __name__ == "__main__":
    main()
