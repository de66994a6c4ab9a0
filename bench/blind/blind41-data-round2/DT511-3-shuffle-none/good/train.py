import torch
import torch.distributed as dist
import torch.nn.functional as F
from torch import nn
from torch.nn.parallel import DistributedDataParallel as DDP
from torch.utils.data import DataLoader, DistributedSampler, TensorDataset


def limit_gradients(model, bound):
    for parameter in model.parameters():
        if parameter.grad is not None:
            parameter.grad.clamp_(-bound, bound)


def main(epochs=2):
    dist.init_process_group("gloo")
    torch.manual_seed(0)
    x = torch.randn(2048, 12)
    data = TensorDataset(x, x.sum(1, keepdim=True))
    sampler = DistributedSampler(data)
    loader = DataLoader(data, batch_size=32, sampler=sampler, drop_last=True)
    model = DDP(nn.Sequential(nn.Linear(12, 32), nn.Tanh(), nn.Linear(32, 1)))
    optimizer = torch.optim.SGD(model.parameters(), lr=0.05)
    for epoch in range(epochs):
        sampler.set_epoch(epoch)
        for xb, yb in loader:
            optimizer.zero_grad()
            F.mse_loss(model(xb), yb).backward()
            limit_gradients(model, 0.5)
            optimizer.step()
    dist.destroy_process_group()


if __name__ == "__main__":
    main()
