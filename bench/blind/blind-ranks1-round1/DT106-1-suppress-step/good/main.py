import os

import torch
import torch.distributed as dist
from torch import nn
from torch.nn.parallel import DistributedDataParallel as DDP
from torch.utils.data import DataLoader, DistributedSampler, TensorDataset

from engine import Engine


def make_dataset(n=256):
    g = torch.Generator().manual_seed(5)
    x = torch.randn(n, 12, generator=g)
    return TensorDataset(x, x @ torch.randn(12, 2, generator=g))


def connect():
    cuda = torch.cuda.is_available()
    local_rank = int(os.environ["LOCAL_RANK"])
    if cuda:
        torch.cuda.set_device(local_rank)
    dist.init_process_group("nccl" if cuda else "gloo")
    return torch.device("cuda", local_rank) if cuda else torch.device("cpu")


def main(epochs=2):
    device = connect()
    torch.manual_seed(1)
    net = nn.Sequential(nn.Linear(12, 48), nn.Tanh(), nn.Linear(48, 2)).to(device)
    model = DDP(net, device_ids=[device.index] if device.type == "cuda" else None)
    optimizer = torch.optim.RMSprop(model.parameters(), lr=1e-3)
    data = make_dataset()
    sampler = DistributedSampler(data, drop_last=True)
    loader = DataLoader(data, batch_size=16, sampler=sampler, drop_last=True)
    engine = Engine(model, optimizer, device)
    for epoch in range(epochs):
        sampler.set_epoch(epoch)
        engine.run(loader)
    if dist.get_rank() == 0:
        torch.save(net.state_dict(), "net.pt")
    dist.barrier()
    dist.destroy_process_group()


if __name__ == "__main__":
    main()
