import horovod.torch as hvd
import torch
import torch.nn as nn
from torch.utils.data import DataLoader, TensorDataset
from torch.utils.data.distributed import DistributedSampler

from metrics import Totals


def sampled(data, shuffle):
    return DistributedSampler(data, num_replicas=hvd.size(), rank=hvd.rank(), shuffle=shuffle)


def main():
    hvd.init()
    torch.manual_seed(0)
    gen = torch.Generator().manual_seed(0)
    x = torch.randn(2000, 15, generator=gen)
    data = TensorDataset(x, (x[:, 0] > x[:, 1]).long())
    sampler = sampled(data, True)
    loader = DataLoader(data, batch_size=25, sampler=sampler, drop_last=True)
    model = nn.Linear(15, 2)
    opt = hvd.DistributedOptimizer(torch.optim.SGD(model.parameters(), lr=0.1), named_parameters=model.named_parameters())
    hvd.broadcast_parameters(model.state_dict(), root_rank=0)
    for epoch in range(3):
        sampler.set_epoch(epoch)
        totals = Totals(f"epoch{epoch}")
        for features, target in loader:
            opt.zero_grad()
            logits = model(features)
            nn.functional.cross_entropy(logits, target).backward()
            opt.step()
            totals.add(logits.detach(), target)
        accuracy = totals.accuracy()
        if hvd.rank() == 0:
            print(epoch, accuracy)
    hvd.shutdown()


if __name__ == "__main__":
    main()
