import torch
import torch.distributed as dist
from torch import nn
from torch.nn.parallel import DistributedDataParallel
from torch.utils.data import DataLoader, DistributedSampler, TensorDataset

from window import Window


def main():
    dist.init_process_group("gloo")
    torch.manual_seed(0)
    x = torch.randn(200, 3)
    data = TensorDataset(x, x.sum(1, keepdim=True))
    sampler = DistributedSampler(data)
    loader = DataLoader(data, 8, sampler=sampler)
    model = DistributedDataParallel(nn.Linear(3, 1))
    optimizer = torch.optim.SGD(model.parameters(), 0.1)
    for epoch in range(2):
        sampler.set_epoch(epoch)
        window = Window(model, optimizer, 4, len(loader))
        for a, b in loader:
            with window.micro():
                (nn.functional.mse_loss(model(a), b) * window.share).backward()
    dist.destroy_process_group()


if __name__ == "__main__":
    main()
