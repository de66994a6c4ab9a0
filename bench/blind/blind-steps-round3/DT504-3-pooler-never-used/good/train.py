import os

import torch
import torch.distributed as dist
from torch import nn
from torch.nn.parallel import DistributedDataParallel
from torch.utils.data import DataLoader, DistributedSampler, TensorDataset

from encoder import Encoder


class Fit:
    def __init__(self):
        cuda = torch.cuda.is_available()
        local = int(os.environ["LOCAL_RANK"])
        if cuda:
            torch.cuda.set_device(local)
        dist.init_process_group("nccl" if cuda else "gloo")
        self.device = torch.device("cuda", local) if cuda else torch.device("cpu")
        torch.manual_seed(0)
        self.model = DistributedDataParallel(Encoder().to(self.device), device_ids=[local] if cuda else None)
        self.optimizer = torch.optim.AdamW(self.model.parameters(), lr=1e-3)

    def loader(self):
        g = torch.Generator().manual_seed(0)
        data = TensorDataset(torch.randint(0, 200, (960, 12), generator=g), torch.randint(0, 5, (960,), generator=g))
        return DataLoader(data, batch_size=16, sampler=DistributedSampler(data, drop_last=True), drop_last=True)

    def __call__(self, epochs=2):
        loader = self.loader()
        for epoch in range(epochs):
            loader.sampler.set_epoch(epoch)
            for tokens, labels in loader:
                self.optimizer.zero_grad()
                logits = self.model(tokens.to(self.device))
                nn.functional.cross_entropy(logits, labels.to(self.device)).backward()
                self.optimizer.step()


if __name__ == "__main__":
    Fit()()
    dist.destroy_process_group()
