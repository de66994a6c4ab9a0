import os

import torch
import torch.distributed as dist
from torch import nn
from torch.nn.parallel import DistributedDataParallel
from torch.utils.data import DataLoader, DistributedSampler, TensorDataset

from blocks import Encoder


class Trainer:
    def __init__(self, device, rank, epochs=2):
        self.device, self.rank, self.epochs = device, rank, epochs
        torch.manual_seed(0)
        self.net = Encoder()
        self.net.attach_probe(classes=4)
        self.net.to(device)
        ids = [device.index] if device.type == "cuda" else None
        self.model = DistributedDataParallel(self.net, device_ids=ids, find_unused_parameters=True)
        self.opt = torch.optim.AdamW(self.model.parameters(), lr=1e-3)

    @property
    def is_main(self):
        return self.rank == 0

    def fit(self, loader, sampler):
        for epoch in range(self.epochs):
            sampler.set_epoch(epoch)
            for x, _ in loader:
                x = x.to(self.device)
                loss = nn.functional.mse_loss(self.model(x), x)
                self.opt.zero_grad()
                loss.backward()
                self.opt.step()

    def save(self, path):
        if self.is_main:
            torch.save(self.net.state_dict(), path)


def main():
    cuda = torch.cuda.is_available()
    local_rank = int(os.environ["LOCAL_RANK"])
    if cuda:
        torch.cuda.set_device(local_rank)
    device = torch.device("cuda", local_rank) if cuda else torch.device("cpu")
    dist.init_process_group("nccl" if cuda else "gloo")
    x = torch.randn(640, 20, generator=torch.Generator().manual_seed(6))
    data = TensorDataset(x, x[:, :4].argmax(1))
    sampler = DistributedSampler(data, drop_last=True)
    loader = DataLoader(data, batch_size=32, sampler=sampler, drop_last=True)
    trainer = Trainer(device, dist.get_rank())
    trainer.fit(loader, sampler)
    trainer.save("encoder.pt")
    dist.destroy_process_group()


if __name__ == "__main__":
    main()
