import horovod.torch as hvd
import torch
import torch.nn as nn
from torch.utils.data import DataLoader, TensorDataset
from torch.utils.data.distributed import DistributedSampler


class Reducer:
    def __init__(self, model):
        self.named = list(model.named_parameters())

    def __call__(self):
        handles = [hvd.allreduce_async_(p.grad, name=name, op=hvd.Average) for name, p in self.named]
        for handle in handles:
            hvd.synchronize(handle)


def main():
    hvd.init()
    torch.manual_seed(0)
    model = nn.Sequential(nn.Linear(8, 32), nn.ReLU(), nn.Linear(32, 8))
    hvd.broadcast_parameters(model.state_dict(), root_rank=0)
    reduce = Reducer(model)
    opt = torch.optim.SGD(model.parameters(), lr=0.05)
    gen = torch.Generator().manual_seed(0)
    data = TensorDataset(torch.randn(1600, 8, generator=gen))
    sampler = DistributedSampler(data, num_replicas=hvd.size(), rank=hvd.rank(), drop_last=True)
    loader = DataLoader(data, batch_size=20, sampler=sampler, drop_last=True)
    for epoch in range(3):
        sampler.set_epoch(epoch)
        for (x,) in loader:
            opt.zero_grad()
            (model(x) - x).abs().mean().backward()
            reduce()
            opt.step()
    if hvd.rank() == 0:
        torch.save(model.state_dict(), "auto.pt")
    hvd.shutdown()


if __name__ == "__main__":
    main()
