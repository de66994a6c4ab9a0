import horovod.torch as hvd
import torch
import torch.nn as nn
from torch.utils.data import DataLoader, DistributedSampler, TensorDataset


def metric_mean(value, name):
    return hvd.allreduce(torch.tensor(value), name=name).item()


def main(epochs=8, base_lr=0.01):
    hvd.init()
    torch.cuda.set_device(hvd.local_rank())
    torch.manual_seed(4)
    data = TensorDataset(*torch.load("pairs.pt", map_location="cpu"))
    sampler = DistributedSampler(data, num_replicas=hvd.size(), rank=hvd.rank(), drop_last=True)
    loader = DataLoader(data, 64, sampler=sampler, num_workers=2, drop_last=True)
    net = nn.Sequential(nn.Linear(64, 256), nn.ReLU(), nn.Linear(256, 10)).cuda()
    optimizer = torch.optim.SGD(net.parameters(), lr=base_lr * hvd.size(), momentum=0.9)
    optimizer = hvd.DistributedOptimizer(optimizer, named_parameters=net.named_parameters())
    hvd.broadcast_parameters(net.state_dict(), root_rank=0)
    hvd.broadcast_optimizer_state(optimizer, root_rank=0)
    for epoch in range(epochs):
        sampler.set_epoch(epoch)
        running = 0.0
        for x, y in loader:
            optimizer.zero_grad()
            loss = nn.functional.cross_entropy(net(x.cuda()), y.cuda())
            loss.backward()
            optimizer.step()
            running += loss.item()
        mean = metric_mean(running / len(loader), "loss")
        if hvd.rank() == 0:
            print(f"epoch {epoch} loss {mean:.4f}", flush=True)
            torch.save(net.state_dict(), "hvd.pt")


if __name__ == "__main__":
    main()
