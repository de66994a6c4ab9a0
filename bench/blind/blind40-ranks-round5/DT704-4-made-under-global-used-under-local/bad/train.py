import os

import torch
import torch.distributed as dist
import torch.nn as nn
from torch.nn.parallel import DistributedDataParallel as DDP
from torch.utils.data import DataLoader, DistributedSampler, TensorDataset
from torch.utils.tensorboard import SummaryWriter


class Trainer:
    def __init__(self, device, local_rank, rank, world):
        self.device, self.local_rank, self.rank, self.world = device, local_rank, rank, world
        torch.manual_seed(0)
        net = nn.Linear(12, 3).to(device)
        self.model = DDP(net, device_ids=[local_rank] if device.type == "cuda" else None)
        self.opt = torch.optim.Adam(self.model.parameters())
        self.writer = SummaryWriter("tb") if rank == 0 else None

    def epoch(self, number, loader):
        total = torch.zeros((), device=self.device)
        for xb, yb in loader:
            loss = nn.functional.cross_entropy(self.model(xb.to(self.device)), yb.to(self.device))
            self.opt.zero_grad()
            loss.backward()
            self.opt.step()
            total += loss.detach() / len(loader)
        dist.all_reduce(total)
        if self.local_rank == 0:
            self.writer.add_scalar("loss", total.item() / self.world, number)


def main():
    cuda = torch.cuda.is_available()
    local_rank = int(os.environ["LOCAL_RANK"])
    if cuda:
        torch.cuda.set_device(local_rank)
    dist.init_process_group("nccl" if cuda else "gloo")
    rank, world = dist.get_rank(), dist.get_world_size()
    device = torch.device("cuda", local_rank) if cuda else torch.device("cpu")
    x = torch.randn(720, 12, generator=torch.Generator().manual_seed(1))
    data = TensorDataset(x, x[:, :3].argmax(1))
    sampler = DistributedSampler(data, drop_last=True)
    loader = DataLoader(data, batch_size=18, sampler=sampler, drop_last=True)
    trainer = Trainer(device, local_rank, rank, world)
    for number in range(3):
        sampler.set_epoch(number)
        trainer.epoch(number, loader)
    dist.destroy_process_group()


if __name__ == "__main__":
    main()
