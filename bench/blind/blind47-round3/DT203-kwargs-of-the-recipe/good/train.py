import torch
import torch.distributed as dist
from torch import nn
from torch.nn.parallel import DistributedDataParallel
from torch.utils.data import DataLoader, DistributedSampler, TensorDataset

from recipe import LoaderRecipe


def main():
    dist.init_process_group("gloo")
    torch.manual_seed(0)
    x = torch.randn(320, 5)
    data = TensorDataset(x, x.sum(1, keepdim=True))
    sampler = DistributedSampler(data)
    loader = DataLoader(data, **LoaderRecipe(batch_size=16).options(sampler=sampler))
    model = DistributedDataParallel(nn.Linear(5, 1))
    optimizer = torch.optim.SGD(model.parameters(), 0.1)
    for epoch in range(3):
        sampler.set_epoch(epoch)
        for a, b in loader:
            optimizer.zero_grad()
            nn.functional.mse_loss(model(a), b).backward()
            optimizer.step()
    dist.destroy_process_group()


if __name__ == "__main__":
    main()
