import torch
import torch.distributed as dist
from torch import nn
from torch.nn.parallel import DistributedDataParallel
from torch.utils.data import DataLoader, DistributedSampler, TensorDataset

from keeper import BestKeeper


@torch.no_grad()
def validate(model, loader):
    model.eval()
    total, count = torch.zeros(()), torch.zeros(())
    for x, y in loader:
        total += nn.functional.mse_loss(model(x), y, reduction="sum")
        count += len(x)
    model.train()
    return (total / count).item()


def main():
    dist.init_process_group("gloo")
    torch.manual_seed(0)
    x = torch.randn(600, 4)
    train = TensorDataset(x[:480], x[:480].sum(1, keepdim=True))
    valid = TensorDataset(x[480:], x[480:].sum(1, keepdim=True))
    sampler = DistributedSampler(train)
    held_out = DataLoader(valid, 20, sampler=DistributedSampler(valid, shuffle=False))
    model = DistributedDataParallel(nn.Linear(4, 1))
    optimizer = torch.optim.SGD(model.parameters(), 0.05)
    keeper = BestKeeper("best.pt", dist.get_rank() == 0)
    for epoch in range(5):
        sampler.set_epoch(epoch)
        for a, b in DataLoader(train, 16, sampler=sampler):
            optimizer.zero_grad()
            nn.functional.mse_loss(model(a), b).backward()
            optimizer.step()
        keeper.offer(validate(model, held_out), model)
    dist.destroy_process_group()


if __name__ == "__main__":
    main()
