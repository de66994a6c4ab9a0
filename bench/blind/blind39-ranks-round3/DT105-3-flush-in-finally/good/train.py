import os

import torch
import torch.distributed as dist
from torch import nn
from torch.nn.parallel import DistributedDataParallel as DDP
from torch.utils.data import DataLoader, Dataset, DistributedSampler


class Totals:
    def __init__(self, device):
        self.sums = torch.zeros(2, device=device)

    def add(self, loss, n):
        self.sums += torch.tensor([loss * n, n], device=self.sums.device)

    def flush(self, rank):
        dist.all_reduce(self.sums)
        if rank == 0:
            print(f"mean loss so far {(self.sums[0] / self.sums[1]).item():.4f}")
        self.sums.zero_()


class Images(Dataset):
    def __init__(self, size=480):
        self.pixels = torch.rand(size, 3, 8, 8, generator=torch.Generator().manual_seed(1))

    def __len__(self):
        return len(self.pixels)

    def __getitem__(self, i):
        image = self.pixels[i]
        if image.std() < 1e-4:
            raise RuntimeError(f"image {i} is blank")
        return image, int(image.mean() > 0.5)


class Trainer:
    def __init__(self, device, rank):
        self.device, self.rank = device, rank
        torch.manual_seed(0)
        net = nn.Sequential(nn.Conv2d(3, 8, 3), nn.ReLU(), nn.Flatten(), nn.Linear(288, 2)).to(device)
        self.model = DDP(net, device_ids=[device.index] if device.type == "cuda" else None)
        self.optimizer = torch.optim.SGD(self.model.parameters(), lr=0.05)
        self.totals = Totals(device)

    def epoch(self, loader):
        try:
            for x, y in loader:
                loss = nn.functional.cross_entropy(self.model(x.to(self.device)), y.to(self.device))
                self.optimizer.zero_grad()
                loss.backward()
                self.optimizer.step()
                self.totals.add(loss.item(), len(x))
        except RuntimeError:
            print(f"rank {self.rank} fails with {self.totals.sums.tolist()}")
            raise
        self.totals.flush(self.rank)


def main():
    cuda = torch.cuda.is_available()
    local_rank = int(os.environ["LOCAL_RANK"])
    if cuda:
        torch.cuda.set_device(local_rank)
    dist.init_process_group("nccl" if cuda else "gloo")
    device = torch.device("cuda", local_rank) if cuda else torch.device("cpu")
    trainer = Trainer(device, dist.get_rank())
    data = Images()
    sampler = DistributedSampler(data, drop_last=True)
    loader = DataLoader(data, batch_size=16, sampler=sampler, drop_last=True)
    for number in range(3):
        sampler.set_epoch(number)
        trainer.epoch(loader)
    dist.destroy_process_group()


if __name__ == "__main__":
    main()
