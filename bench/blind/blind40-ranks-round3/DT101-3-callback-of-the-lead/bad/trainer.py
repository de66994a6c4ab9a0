import os

import torch
import torch.distributed as dist
import torch.nn as nn
from torch.nn.parallel import DistributedDataParallel as DDP
from torch.utils.data import DataLoader, DistributedSampler, TensorDataset

from callbacks import LossSpread, Reshuffle


class Trainer:
    def __init__(self, net, data, device, callbacks):
        self.rank, self.device, self.callbacks = dist.get_rank(), device, callbacks
        self.model = DDP(net.to(device), device_ids=[device.index] if device.type == "cuda" else None)
        self.opt = torch.optim.Adam(self.model.parameters(), lr=1e-3)
        self.sampler = DistributedSampler(data, drop_last=True)
        self.loader = DataLoader(data, batch_size=32, sampler=self.sampler, drop_last=True)
        self.epoch_loss = torch.zeros((), device=device)

    def fit(self, epochs):
        for epoch in range(epochs):
            self.epoch_loss.zero_()
            for x, y in self.loader:
                loss = nn.functional.mse_loss(self.model(x.to(self.device)), y.to(self.device))
                self.opt.zero_grad()
                loss.backward()
                self.opt.step()
                self.epoch_loss += loss.detach() / len(self.loader)
            for callback in self.callbacks:
                callback.on_epoch_end(self, epoch)


def main():
    cuda = torch.cuda.is_available()
    local_rank = int(os.environ["LOCAL_RANK"])
    if cuda:
        torch.cuda.set_device(local_rank)
    dist.init_process_group("nccl" if cuda else "gloo")
    torch.manual_seed(0)
    x = torch.randn(640, 6, generator=torch.Generator().manual_seed(1))
    callbacks = [Reshuffle()]
    if dist.get_rank() == 0:
        callbacks.append(LossSpread("spread.csv"))
    device = torch.device("cuda", local_rank) if cuda else torch.device("cpu")
    trainer = Trainer(nn.Linear(6, 1), TensorDataset(x, x.sum(1, keepdim=True)), device, callbacks)
    trainer.fit(3)
    dist.destroy_process_group()


if __name__ == "__main__":
    main()
