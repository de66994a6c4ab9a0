import torch
import torch.distributed as dist
from torch import nn
from torch.nn.parallel import DistributedDataParallel
from torch.utils.data import DataLoader, DistributedSampler, TensorDataset

from settings import BatchSettings


def loader(data, settings):
    sampler = DistributedSampler(data)
    return DataLoader(data, batch_size=settings.per_rank // dist.get_world_size(), sampler=sampler)


def main():
    dist.init_process_group("gloo")
    torch.manual_seed(0)
    x = torch.randn(4096, 3)
    batches = loader(TensorDataset(x, x.sum(1, keepdim=True)), BatchSettings(total=256))
    model = DistributedDataParallel(nn.Linear(3, 1))
    optimizer = torch.optim.SGD(model.parameters(), 0.1)
    for epoch in range(2):
        batches.sampler.set_epoch(epoch)
        for a, b in batches:
            optimizer.zero_grad()
            nn.functional.mse_loss(model(a), b).backward()
            optimizer.step()
    dist.destroy_process_group()


if __name__ == "__main__":
    main()
