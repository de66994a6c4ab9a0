import torch
import torch.distributed as dist
from torch import nn
from torch.nn.parallel import DistributedDataParallel
from torch.utils.data import DataLoader, Dataset, DistributedSampler


class Staged(DistributedSampler):
    stage = 1

    def __iter__(self):
        return ((index, self.stage) for index in super().__iter__())


class Growing(Dataset):
    def __len__(self):
        return 200

    def __getitem__(self, key):
        index, stage = key
        return torch.randn(4 * stage, generator=torch.Generator().manual_seed(index)).sum().unsqueeze(0)


def main():
    dist.init_process_group("gloo")
    torch.manual_seed(0)
    data = Growing()
    sampler = Staged(data)
    loader = DataLoader(data, 10, sampler=sampler, num_workers=2, persistent_workers=True)
    model = DistributedDataParallel(nn.Linear(1, 1))
    optimizer = torch.optim.SGD(model.parameters(), 1e-3)
    for epoch in range(4):
        sampler.set_epoch(epoch)
        sampler.stage = 1 + epoch // 2
        for x in loader:
            optimizer.zero_grad()
            (model(x) - x).square().mean().backward()
            optimizer.step()
    dist.destroy_process_group()


if __name__ == "__main__":
    main()
