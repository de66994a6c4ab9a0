import torch
import torch.distributed as dist
from torch import nn
from torch.nn.parallel import DistributedDataParallel
from torch.utils.data import DataLoader, DistributedSampler, TensorDataset

from pipeline import collecting


def main():
    dist.init_process_group("gloo")
    torch.manual_seed(0)
    x = torch.randn(320, 4)
    data = TensorDataset(x, x.sum(1, keepdim=True))
    sampler = DistributedSampler(data)
    model = DistributedDataParallel(nn.Linear(4, 1))
    optimizer = torch.optim.SGD(model.parameters(), 0.1)
    for epoch in range(3):
        sampler.set_epoch(epoch)
        with collecting(f"epoch {epoch}") as seen:
            for a, b in DataLoader(data, 16, sampler=sampler):
                optimizer.zero_grad()
                loss = nn.functional.mse_loss(model(a), b)
                loss.backward()
                optimizer.step()
                seen.append(loss.item())
    dist.destroy_process_group()


if __name__ == "__main__":
    main()
