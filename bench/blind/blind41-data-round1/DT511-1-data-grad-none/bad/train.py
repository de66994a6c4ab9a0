import torch
import torch.distributed as dist
from torch import nn
from torch.nn.parallel import DistributedDataParallel as DDP
from torch.utils.data import DataLoader, DistributedSampler, TensorDataset


def clear(parameters):
    for p in parameters:
        p.data.grad = None


def main(epochs=4):
    dist.init_process_group("gloo")
    torch.manual_seed(0)
    x = torch.randn(2000, 5)
    data = TensorDataset(x, x[:, :1])
    sampler = DistributedSampler(data, shuffle=True)
    loader = DataLoader(data, batch_size=20, sampler=sampler, drop_last=True)
    model = DDP(nn.Linear(5, 1))
    params = list(model.parameters())
    optimizer = torch.optim.SGD(params, lr=0.01)
    for epoch in range(epochs):
        sampler.set_epoch(epoch)
        for xb, yb in loader:
            clear(params)
            nn.functional.mse_loss(model(xb), yb).backward()
            optimizer.step()
    dist.destroy_process_group()


if __name__ == "__main__":
    main()
