import os
import socket

import torch
import torch.distributed as dist
import torch.nn as nn
from torch.nn.parallel import DistributedDataParallel
from torch.utils.data import DataLoader, DistributedSampler, TensorDataset


def tune_network():
    os.environ.setdefault("NCCL_SOCKET_IFNAME", "eth0")
    if socket.gethostname().startswith("edge"):
        os.environ["NCCL_IB_DISABLE"] = "1"


def connect():
    local_rank = int(os.environ["LOCAL_RANK"])
    torch.cuda.set_device(local_rank)
    dist.init_process_group("nccl")
    dist.barrier()
    tune_network()
    return local_rank


def main():
    local_rank = connect()
    torch.manual_seed(0)
    net = nn.Sequential(nn.Linear(100, 200), nn.ReLU(), nn.Linear(200, 10)).cuda()
    net = DistributedDataParallel(net, device_ids=[local_rank])
    opt = torch.optim.SGD(net.parameters(), lr=0.1)
    gen = torch.Generator().manual_seed(1)
    data = TensorDataset(torch.randn(4000, 100, generator=gen), torch.randint(0, 10, (4000,), generator=gen))
    sampler = DistributedSampler(data, drop_last=True)
    loader = DataLoader(data, batch_size=50, sampler=sampler, drop_last=True)
    for epoch in range(2):
        sampler.set_epoch(epoch)
        for x, y in loader:
            loss = nn.functional.cross_entropy(net(x.cuda()), y.cuda())
            opt.zero_grad()
            loss.backward()
            opt.step()
    dist.destroy_process_group()


if __name__ == "__main__":
    main()
