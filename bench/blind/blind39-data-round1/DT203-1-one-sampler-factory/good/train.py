import os

import torch
import torch.distributed as dist
import torch.nn as nn
import torch.nn.functional as F
from torch.nn.parallel import DistributedDataParallel as DDP
from torch.utils.data import DataLoader, DistributedSampler, TensorDataset


def tabular(rows, seed):
    gen = torch.Generator().manual_seed(seed)
    x = torch.randn(rows, 12, generator=gen)
    return TensorDataset(x, (x.sum(dim=1) > 0).long())


class Experiment:
    batch_size = 32
    epochs = 5

    def __init__(self):
        self.cuda = torch.cuda.is_available()
        self.local_rank = int(os.environ["LOCAL_RANK"])
        if self.cuda:
            torch.cuda.set_device(self.local_rank)
        dist.init_process_group("nccl" if self.cuda else "gloo")
        self.device = torch.device("cuda", self.local_rank) if self.cuda else torch.device("cpu")
        torch.manual_seed(1234)
        net = nn.Sequential(nn.Linear(12, 48), nn.SiLU(), nn.Linear(48, 2)).to(self.device)
        self.model = DDP(net, device_ids=[self.local_rank] if self.cuda else None)
        self.optim = torch.optim.SGD(self.model.parameters(), lr=0.1, momentum=0.9)
        self.train_loader = self._loader(tabular(4096, seed=3), train=True)
        self.val_loader = self._loader(tabular(512, seed=4), train=False)

    def _sampler(self, dataset, shuffle=False, drop_last=False):
        return DistributedSampler(dataset, shuffle=shuffle, drop_last=drop_last)

    def _loader(self, dataset, train):
        if train:
            sampler = self._sampler(dataset, shuffle=True, drop_last=True)
        else:
            sampler = self._sampler(dataset)
        return DataLoader(dataset, batch_size=self.batch_size, sampler=sampler, drop_last=train, num_workers=2)

    def train_epoch(self, epoch):
        self.model.train()
        self.train_loader.sampler.set_epoch(epoch)
        for x, y in self.train_loader:
            self.optim.zero_grad(set_to_none=True)
            F.cross_entropy(self.model(x.to(self.device)), y.to(self.device)).backward()
            self.optim.step()

    @torch.no_grad()
    def accuracy(self):
        self.model.eval()
        hits = torch.zeros(2, device=self.device)
        for x, y in self.val_loader:
            pred = self.model(x.to(self.device)).argmax(dim=1).cpu()
            hits[0] += (pred == y).sum()
            hits[1] += len(y)
        dist.all_reduce(hits)
        return (hits[0] / hits[1]).item()

    def run(self):
        for epoch in range(self.epochs):
            self.train_epoch(epoch)
            acc = self.accuracy()
            if dist.get_rank() == 0:
                print(f"[{epoch}] accuracy {acc:.3f}")


if __name__ == "__main__":
    exp = Experiment()
    exp.run()
    dist.destroy_process_group()
