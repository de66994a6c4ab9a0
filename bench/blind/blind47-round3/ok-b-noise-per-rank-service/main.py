import torch
import torch.distributed as dist
from torch import nn
from torch.nn.parallel import DistributedDataParallel
from torch.utils.data import DataLoader, DistributedSampler, TensorDataset

from streams import Streams


def main():
    dist.init_process_group("gloo")
    torch.manual_seed(5)
    data = TensorDataset(torch.randn(128, 4))
    model = DistributedDataParallel(nn.Linear(4, 4))
    streams = Streams(5, dist.get_rank())
    sampler = DistributedSampler(data)
    optimizer = torch.optim.SGD(model.parameters(), 0.1)
    for epoch in range(2):
        sampler.set_epoch(epoch)
        for (x,) in DataLoader(data, 8, sampler=sampler):
            eps = torch.randn(x.shape, generator=streams.generator("noise"))
            optimizer.zero_grad()
            (model(x + eps) - eps).square().mean().backward()
            optimizer.step()
    dist.destroy_process_group()


if __name__ == "__main__":
    main()
