import os

import torch
import torch.distributed as dist
from torch import nn
from torch.nn.parallel import DistributedDataParallel
from torch.utils.data import DataLoader, DistributedSampler, TensorDataset

from loop import Loop


def main():
    cuda = torch.cuda.is_available()
    local = int(os.environ["LOCAL_RANK"])
    if cuda:
        torch.cuda.set_device(local)
    dist.init_process_group("nccl" if cuda else "gloo")
    device = torch.device("cuda", local) if cuda else torch.device("cpu")
    torch.manual_seed(0)
    net = nn.Sequential(nn.Linear(16, 64), nn.Tanh(), nn.Linear(64, 1)).to(device)
    model = DistributedDataParallel(net, device_ids=[local] if cuda else None)
    loop = Loop(model, torch.optim.SGD(model.parameters(), lr=0.05), window=4, device=device)
    g = torch.Generator().manual_seed(0)
    data = TensorDataset(torch.randn(2048, 16, generator=g), torch.randn(2048, 1, generator=g))
    sampler = DistributedSampler(data, drop_last=True)
    loader = DataLoader(data, batch_size=16, sampler=sampler, drop_last=True)
    for epoch in range(3):
        sampler.set_epoch(epoch)
        loop.run(loader)
    if dist.get_rank() == 0:
        torch.save(net.state_dict(), "net.pt")
    dist.destroy_process_group()


if __name__ == "__main__":
    main()
