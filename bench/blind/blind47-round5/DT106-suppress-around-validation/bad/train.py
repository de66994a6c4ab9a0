import torch
import torch.distributed as dist
from torch import nn
from torch.nn.parallel import DistributedDataParallel
from torch.utils.data import DataLoader, Dataset, DistributedSampler

from validate import validate


class Pairs(Dataset):
    def __init__(self, count, seed):
        self.x = torch.randn(count, 4, generator=torch.Generator().manual_seed(seed))

    def __len__(self):
        return len(self.x)

    def __getitem__(self, i):
        return {"x": self.x[i], "y": self.x[i].sum(0, keepdim=True)}


def main():
    dist.init_process_group("gloo")
    torch.manual_seed(0)
    train, valid = Pairs(256, 1), Pairs(64, 2)
    sampler = DistributedSampler(train)
    loader = DataLoader(train, 16, sampler=sampler)
    held = DataLoader(valid, 16, sampler=DistributedSampler(valid, shuffle=False))
    model = DistributedDataParallel(nn.Linear(4, 1))
    optimizer = torch.optim.SGD(model.parameters(), 0.1)
    for epoch in range(2):
        sampler.set_epoch(epoch)
        for batch in loader:
            optimizer.zero_grad()
            nn.functional.mse_loss(model(batch["x"]), batch["y"]).backward()
            optimizer.step()
        result = validate(model, held)
        if dist.get_rank() == 0:
            print(epoch, result)
    dist.destroy_process_group()


if __name__ == "__main__":
    main()
