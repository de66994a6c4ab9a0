import numpy as np
import torch
import torch.distributed as dist
from torch import nn
from torch.nn.parallel import DistributedDataParallel
from torch.utils.data import DataLoader, Dataset, DistributedSampler, get_worker_info

from transforms import Chain, Jitter


class Rows(Dataset):
    def __init__(self, transform):
        self.rows = np.linspace(0, 1, 4000).reshape(500, 8)
        self.transform = transform

    def __len__(self):
        return len(self.rows)

    def __getitem__(self, index):
        return torch.from_numpy(self.transform(self.rows[index])).float()


def own_generator(worker: int) -> None:
    info = get_worker_info()
    for step in info.dataset.transform.steps:
        if isinstance(step, Jitter):
            step.rng = np.random.default_rng(info.seed)


def main():
    dist.init_process_group("gloo")
    torch.manual_seed(0)
    data = Rows(Chain([Jitter(0.1)]))
    sampler = DistributedSampler(data)
    loader = DataLoader(data, 20, sampler=sampler, num_workers=3, worker_init_fn=own_generator)
    model = DistributedDataParallel(nn.Linear(8, 8))
    optimizer = torch.optim.SGD(model.parameters(), 0.1)
    for epoch in range(2):
        sampler.set_epoch(epoch)
        for x in loader:
            optimizer.zero_grad()
            (model(x) - x).square().mean().backward()
            optimizer.step()
    dist.destroy_process_group()


if __name__ == "__main__":
    main()
