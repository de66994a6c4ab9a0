import os

import torch
import torch.distributed as dist
import torch.nn as nn
import torch.nn.functional as F
from torch.nn.parallel import DistributedDataParallel as DDP
from torch.utils.data import DataLoader, DistributedSampler, TensorDataset


class TwoHeads(nn.Module):
    def __init__(self, dim=20, width=64):
        super().__init__()
        self.trunk = nn.Sequential(nn.Linear(dim, width), nn.ReLU())
        self.main = nn.Linear(width, 4)
        self.aux = nn.Linear(width, dim)

    def forward(self, x, with_aux):
        h = self.trunk(x)
        if with_aux:
            return self.main(h), self.aux(h)
        return self.main(h), None


class Training:
    def __init__(self, warm_epochs=2, aux_weight=0.1):
        self.warm_epochs, self.aux_weight = warm_epochs, aux_weight
        self.cuda = torch.cuda.is_available()
        local_rank = int(os.environ["LOCAL_RANK"])
        if self.cuda:
            torch.cuda.set_device(local_rank)
        dist.init_process_group("nccl" if self.cuda else "gloo")
        self.device = torch.device("cuda", local_rank) if self.cuda else torch.device("cpu")
        torch.manual_seed(0)
        net = TwoHeads().to(self.device)
        self.model = DDP(net, device_ids=[local_rank] if self.cuda else None)
        self.optimizer = torch.optim.Adam(self.model.parameters(), lr=1e-3)

    def step(self, x, y, epoch):
        logits, rebuilt = self.model(x, epoch >= self.warm_epochs)
        loss = F.cross_entropy(logits, y)
        if rebuilt is not None:
            loss = loss + self.aux_weight * F.mse_loss(rebuilt, x)
        self.optimizer.zero_grad(set_to_none=True)
        loss.backward()
        self.optimizer.step()

    def run(self, data, epochs=5):
        sampler = DistributedSampler(data, drop_last=True)
        loader = DataLoader(data, batch_size=64, sampler=sampler, drop_last=True)
        for epoch in range(epochs):
            sampler.set_epoch(epoch)
            for x, y in loader:
                self.step(x.to(self.device), y.to(self.device), epoch)
        if dist.get_rank() == 0:
            torch.save(self.model.module.state_dict(), "heads.pt")
        dist.destroy_process_group()


def data(n=8192):
    x = torch.randn(n, 20, generator=torch.Generator().manual_seed(1))
    return TensorDataset(x, x[:, :4].argmax(1))


if __name__ == "__main__":
    Training().run(data())
