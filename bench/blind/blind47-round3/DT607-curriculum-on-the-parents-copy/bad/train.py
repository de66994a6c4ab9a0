import torch
import torch.distributed as dist
from torch import nn
from torch.nn.parallel import DistributedDataParallel
from torch.utils.data import DataLoader, DistributedSampler

from data import Growing


def main():
    dist.init_process_group("gloo")
    torch.manual_seed(0)
    data = Growing()
    sampler = DistributedSampler(data)
    loader = DataLoader(data, 20, sampler=sampler, num_workers=2, persistent_workers=True)
    model = DistributedDataParallel(nn.Linear(1, 1))
    optimizer = torch.optim.SGD(model.parameters(), 1e-3)
    for epoch in range(6):
        sampler.set_epoch(epoch)
        data.advance(1 + epoch // 2)
        for x in loader:
            optimizer.zero_grad()
            (model(x) - x).square().mean().backward()
            optimizer.step()
    dist.destroy_process_group()


if __name__ == "__main__":
    main()
