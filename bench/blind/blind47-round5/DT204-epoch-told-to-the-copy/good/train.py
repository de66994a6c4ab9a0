import torch
import torch.distributed as dist
from torch import nn
from torch.nn.parallel import DistributedDataParallel
from torch.utils.data import TensorDataset

from loaders import LoaderPlan


def main():
    dist.init_process_group("gloo")
    torch.manual_seed(0)
    x = torch.randn(512, 4)
    plan = LoaderPlan(TensorDataset(x, x.sum(1, keepdim=True)), 8)
    sampler = plan.sampler()
    loader = plan.larger(4).build(sampler)
    model = DistributedDataParallel(nn.Linear(4, 1))
    optimizer = torch.optim.SGD(model.parameters(), 0.1)
    for epoch in range(8):
        sampler.set_epoch(epoch)
        for a, b in loader:
            optimizer.zero_grad()
            nn.functional.mse_loss(model(a), b).backward()
            optimizer.step()
    dist.destroy_process_group()


if __name__ == "__main__":
    main()
