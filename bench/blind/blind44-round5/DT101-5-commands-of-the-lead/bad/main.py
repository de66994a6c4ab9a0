import os

import torch
import torch.distributed as dist
from torch import nn
from torch.nn.parallel import DistributedDataParallel as DDP
from torch.utils.data import DataLoader, DistributedSampler, TensorDataset

from ctl.commands import COMMANDS, pending
from ctl.state import State


def main(epochs=3):
    cuda = torch.cuda.is_available()
    device = torch.device("cuda", int(os.environ["LOCAL_RANK"])) if cuda else torch.device("cpu")
    if cuda:
        torch.cuda.set_device(device)
    dist.init_process_group("nccl" if cuda else "gloo")
    torch.manual_seed(0)
    net = nn.Linear(6, 1).to(device)
    model = DDP(net, device_ids=[device.index] if cuda else None)
    x = torch.randn(640, 6, generator=torch.Generator().manual_seed(0))
    state = State(net, model, torch.optim.SGD(model.parameters(), lr=0.1), x[:64].to(device))
    data = TensorDataset(x, x.sum(1, keepdim=True))
    sampler = DistributedSampler(data, drop_last=True)
    loader = DataLoader(data, 32, sampler=sampler, drop_last=True)
    for epoch in range(epochs):
        sampler.set_epoch(epoch)
        for a, b in loader:
            state.opt.zero_grad()
            nn.functional.mse_loss(model(a.to(device)), b.to(device)).backward()
            state.opt.step()
        if dist.get_rank() == 0:
            COMMANDS[pending()](state)
    dist.destroy_process_group()


if __name__ == "__main__":
    main()
