import horovod.torch as hvd
import torch
import torch.nn.functional as F
from torch import nn
from torch.utils.data import DataLoader, DistributedSampler, TensorDataset


def averaged(value, name):
    return hvd.allreduce(torch.tensor(value), name=name, op=hvd.Average).item()


def main(epochs=3):
    hvd.init()
    torch.manual_seed(42)
    torch.cuda.set_device(hvd.local_rank())
    x = torch.randn(2000, 10, generator=torch.Generator().manual_seed(0))
    data = TensorDataset(x, (x.sum(1) > 0).long())
    sampler = DistributedSampler(data, num_replicas=hvd.size(), rank=hvd.rank(), drop_last=True)
    loader = DataLoader(data, 50, sampler=sampler, drop_last=True)
    net = nn.Sequential(nn.Linear(10, 20), nn.ReLU(), nn.Linear(20, 2)).cuda()
    opt = torch.optim.SGD(net.parameters(), lr=0.01 * hvd.size(), momentum=0.9)
    hvd.broadcast_parameters(net.state_dict(), root_rank=0)
    hvd.broadcast_optimizer_state(opt, root_rank=0)
    opt = hvd.DistributedOptimizer(opt, named_parameters=net.named_parameters())
    for epoch in range(epochs):
        sampler.set_epoch(epoch)
        total = 0.0
        for a, b in loader:
            opt.zero_grad()
            loss = F.cross_entropy(net(a.cuda()), b.cuda())
            loss.backward()
            opt.step()
            total += loss.item()
        mean = averaged(total / len(loader), "loss")
        if hvd.rank() == 0:
            print(epoch, mean)
            torch.save(net.state_dict(), "net.pt")


if __name__ == "__main__":
    main()
