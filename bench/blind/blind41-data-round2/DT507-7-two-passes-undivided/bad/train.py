import torch
import torch.distributed as dist
import torch.nn.functional as F
from torch import nn
from torch.nn.parallel import DistributedDataParallel as DDP
from torch.utils.data import DataLoader, DistributedSampler, TensorDataset


class Stepper:
    def __init__(self, model, optimizer, window):
        self.model, self.optimizer, self.window = model, optimizer, window
        self.seen = 0

    def loss(self, batch):
        x, y = batch
        return F.smooth_l1_loss(self.model(x)[:, 0], y)

    def feed(self, batch):
        self.seen += 1
        if self.seen < self.window:
            with self.model.no_sync():
                self.loss(batch).backward()
            return
        self.loss(batch).backward()
        nn.utils.clip_grad_norm_(self.model.parameters(), 5.0)
        self.optimizer.step()
        self.optimizer.zero_grad(set_to_none=True)
        self.seen = 0


def main(epochs=2):
    dist.init_process_group("gloo")
    torch.manual_seed(0)
    x = torch.randn(4096, 13)
    data = TensorDataset(x, x.norm(dim=1))
    sampler = DistributedSampler(data)
    loader = DataLoader(data, batch_size=16, sampler=sampler, drop_last=True)
    model = DDP(nn.Sequential(nn.Linear(13, 64), nn.ReLU(), nn.Linear(64, 1)))
    stepper = Stepper(model, torch.optim.SGD(model.parameters(), lr=0.02), 8)
    for epoch in range(epochs):
        sampler.set_epoch(epoch)
        for batch in loader:
            stepper.feed(batch)
    dist.destroy_process_group()


if __name__ == "__main__":
    main()
