import os

import torch
import torch.distributed as dist
from torch import nn
from torch.nn.parallel import DistributedDataParallel as DDP
from torch.utils.data import DataLoader, DistributedSampler, TensorDataset

from hooked.hooks import Ema, Report, Reshuffle, Save
from hooked.loop import Loop


def main():
    cuda = torch.cuda.is_available()
    device = torch.device("cuda", int(os.environ["LOCAL_RANK"])) if cuda else torch.device("cpu")
    if cuda:
        torch.cuda.set_device(device)
    dist.init_process_group("nccl" if cuda else "gloo")
    torch.manual_seed(0)
    net = nn.Linear(6, 1).to(device)
    model = DDP(net, device_ids=[device.index] if cuda else None)
    x = torch.randn(640, 6, generator=torch.Generator().manual_seed(0))
    data = TensorDataset(x, x[:, :1])
    loader = DataLoader(data, 32, sampler=DistributedSampler(data, drop_last=True), drop_last=True)
    opt = torch.optim.SGD(model.parameters(), lr=0.1)
    Loop(net, model, loader, opt, device, [Save("net.pt"), Report(), Ema(0.99), Reshuffle()]).run(3)
    dist.destroy_process_group()


if __name__ == "__main__":
    main()
