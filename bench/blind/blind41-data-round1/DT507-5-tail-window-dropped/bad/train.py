import torch
import torch.distributed as dist
import torch.nn.functional as F
from torch import nn
from torch.nn.parallel import DistributedDataParallel as DDP
from torch.utils.data import DataLoader, DistributedSampler, TensorDataset


class Accumulator:
    def __init__(self, model, optimizer, every):
        self.model, self.optimizer, self.every = model, optimizer, every

    def epoch(self, loader):
        total = len(loader)
        for i, (x, y) in enumerate(loader):
            boundary = (i + 1) % self.every == 0
            self.model.require_backward_grad_sync = boundary
            loss = F.cross_entropy(self.model(x), y) / self.every
            loss.backward()
            if boundary:
                self.optimizer.step()
                self.optimizer.zero_grad(set_to_none=True)


def main(epochs=3):
    dist.init_process_group("gloo")
    torch.manual_seed(0)
    x = torch.randn(5000, 12)
    data = TensorDataset(x, x.argmax(1))
    sampler = DistributedSampler(data, shuffle=True)
    loader = DataLoader(data, batch_size=24, sampler=sampler, drop_last=True)
    model = DDP(nn.Linear(12, 12))
    optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
    runner = Accumulator(model, optimizer, every=8)
    for epoch in range(epochs):
        sampler.set_epoch(epoch)
        runner.epoch(loader)
    dist.destroy_process_group()


if __name__ == "__main__":
    main()
