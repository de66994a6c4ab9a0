import torch
import torch.distributed as dist
from torch import nn
from torch.nn.parallel import DistributedDataParallel
from torch.utils.data import DataLoader, DistributedSampler, TensorDataset

from accumulate import Window


def main():
    dist.init_process_group("gloo")
    torch.manual_seed(0)
    x = torch.randn(640, 5)
    data = TensorDataset(x, x.norm(dim=1, keepdim=True))
    sampler = DistributedSampler(data, drop_last=True)
    loader = DataLoader(data, 10, sampler=sampler, drop_last=True)
    model = DistributedDataParallel(nn.Linear(5, 1))
    optimizer = torch.optim.SGD(model.parameters(), 0.05)
    window = Window(4)
    for epoch in range(2):
        sampler.set_epoch(epoch)
        for index, (a, b) in enumerate(loader):
            with window.context(model, index):
                loss = nn.functional.mse_loss(model(a), b) / window.size
                loss.backward()
            if window.closes(index):
                optimizer.step()
                optimizer.zero_grad()
    dist.destroy_process_group()


if __name__ == "__main__":
    main()
