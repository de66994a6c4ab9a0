import os

import torch
import torch.distributed as dist
from torch import nn
from torch.nn.parallel import DistributedDataParallel as DDP
from torch.utils.data import DataLoader, DistributedSampler, Subset, TensorDataset

from prep.split import Split


def main(epochs=2):
    cuda = torch.cuda.is_available()
    device = torch.device("cuda", int(os.environ["LOCAL_RANK"])) if cuda else torch.device("cpu")
    if cuda:
        torch.cuda.set_device(device)
    dist.init_process_group("nccl" if cuda else "gloo")
    x = torch.randn(1000, 6, generator=torch.Generator().manual_seed(0))
    data = TensorDataset(x, x[:, :1])
    train_rows, test_rows = Split(len(data), 0.2, seed=13)()
    train, test = Subset(data, train_rows), Subset(data, test_rows)
    sampler = DistributedSampler(train, drop_last=True)
    loader = DataLoader(train, 32, sampler=sampler, drop_last=True)
    test_loader = DataLoader(test, 50, sampler=DistributedSampler(test, shuffle=False))
    torch.manual_seed(0)
    net = nn.Linear(6, 1).to(device)
    model = DDP(net, device_ids=[device.index] if cuda else None)
    opt = torch.optim.SGD(model.parameters(), lr=0.1)
    for epoch in range(epochs):
        sampler.set_epoch(epoch)
        for a, b in loader:
            opt.zero_grad()
            nn.functional.mse_loss(model(a.to(device)), b.to(device)).backward()
            opt.step()
    sums = torch.zeros(2, device=device)
    with torch.no_grad():
        for a, b in test_loader:
            sums += torch.stack([(net(a.to(device)) - b.to(device)).abs().sum(), torch.tensor(float(len(a)), device=device)])
    dist.all_reduce(sums)
    if dist.get_rank() == 0:
        print((sums[0] / sums[1]).item())
    dist.destroy_process_group()


if __name__ == "__main__":
    main()
