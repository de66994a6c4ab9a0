import torch
import torch.distributed as dist
from torch import nn
from torch.utils.data import DataLoader, DistributedSampler, TensorDataset

from groups import Teams


def main(epochs=3, sync_every=4):
    dist.init_process_group("gloo")
    teams = Teams(size=2)
    torch.manual_seed(0)
    net = nn.Linear(4, 1)
    opt = torch.optim.SGD(net.parameters(), 0.05)
    x = torch.randn(640, 4, generator=torch.Generator().manual_seed(2))
    data = TensorDataset(x, x[:, 1:2])
    sampler = DistributedSampler(data, drop_last=True)
    loader = DataLoader(data, 16, sampler=sampler, drop_last=True)
    step = 0
    for epoch in range(epochs):
        sampler.set_epoch(epoch)
        for a, b in loader:
            opt.zero_grad()
            nn.functional.mse_loss(net(a), b).backward()
            opt.step()
            step += 1
            if step % sync_every == 0:
                with torch.no_grad():
                    for p in net.parameters():
                        teams.average(p)
    if dist.get_rank() == 0:
        torch.save(net.state_dict(), "net.pt")
    dist.destroy_process_group()


if __name__ == "__main__":
    main()
