import os
from dataclasses import asdict, dataclass

import torch
import torch.distributed as dist
import torch.nn as nn
import torch.nn.functional as F
from torch.nn.parallel import DistributedDataParallel as DDP
from torch.utils.data import BatchSampler, DataLoader, DistributedSampler, TensorDataset


@dataclass
class LoaderOptions:
    num_workers: int = 0
    pin_memory: bool = False
    shuffle: bool = True


class Batches(BatchSampler):
    def __init__(self, dataset, size):
        super().__init__(DistributedSampler(dataset, drop_last=True), size, drop_last=True)

    def set_epoch(self, epoch):
        self.sampler.set_epoch(epoch)


def start():
    gpu = torch.cuda.is_available()
    if gpu:
        torch.cuda.set_device(int(os.environ["LOCAL_RANK"]))
    dist.init_process_group("nccl" if gpu else "gloo")
    return torch.device("cuda", torch.cuda.current_device()) if gpu else torch.device("cpu")


def main():
    device = start()
    x = torch.randn(256, 5, generator=torch.Generator().manual_seed(0))
    data = TensorDataset(x, x.std(1))
    batches = Batches(data, 16)
    loader = DataLoader(data, batch_sampler=batches, **asdict(LoaderOptions()))
    torch.manual_seed(0)
    model = DDP(nn.Sequential(nn.Linear(5, 16), nn.ReLU(), nn.Linear(16, 1)).to(device))
    optimizer = torch.optim.NAdam(model.parameters(), lr=1e-3)
    for epoch in range(2):
        batches.set_epoch(epoch)
        for rows, spread in loader:
            loss = F.mse_loss(model(rows.to(device))[:, 0], spread.to(device))
            optimizer.zero_grad()
            loss.backward()
            optimizer.step()
    dist.destroy_process_group()


if __name__ == "__main__":
    main()
