import itertools
import os

import torch
import torch.nn.functional as F
from torch import nn
from torch.utils.data import DataLoader, TensorDataset
from torchft import Manager, Optimizer, ProcessGroupGloo
from torchft.data import DistributedSampler
from torchft.ddp import DistributedDataParallel

GROUP = int(os.environ["REPLICA_GROUP_ID"])
GROUPS = int(os.environ["NUM_REPLICA_GROUPS"])


def held_out():
    x = torch.randn(64, 14, generator=torch.Generator().manual_seed(100 + GROUP))
    return x, x.sum(1, keepdim=True)


@torch.no_grad()
def mean_loss(manager, net, pair):
    x, y = pair
    loss = F.mse_loss(net(x), y)
    manager.allreduce(loss).wait()
    return loss.item()


def batches(sampler, loader):
    for epoch in itertools.count():
        sampler.set_epoch(epoch)
        yield from loader


def main():
    torch.manual_seed(0)
    net = nn.Sequential(nn.Linear(14, 28), nn.Tanh(), nn.Linear(28, 1))
    inner = torch.optim.AdamW(net.parameters(), lr=1e-3)
    manager = Manager(
        pg=ProcessGroupGloo(),
        min_replica_size=1,
        load_state_dict=lambda s: (net.load_state_dict(s["net"]), inner.load_state_dict(s["opt"])),
        state_dict=lambda: {"net": net.state_dict(), "opt": inner.state_dict()},
        replica_id=f"baseline_{GROUP}",
    )
    try:
        x = torch.randn(2048, 14, generator=torch.Generator().manual_seed(5))
        data = TensorDataset(x, x.sum(1, keepdim=True))
        sampler = DistributedSampler(data, replica_rank=GROUP, num_replica_groups=GROUPS, shuffle=True)
        loader = DataLoader(data, batch_size=32, sampler=sampler, drop_last=True)
        model = DistributedDataParallel(manager, net)
        opt = Optimizer(manager, inner)
        pair = held_out()
        for x, y in batches(sampler, loader):
            opt.zero_grad()
            F.mse_loss(model(x), y).backward()
            if manager.current_step() % 50 == 0:
                print(f"[{GROUP}] step {manager.current_step()} {mean_loss(manager, net, pair):.4f}")
            opt.step()
            if manager.current_step() >= 400:
                break
    finally:
        manager.shutdown()


if __name__ == "__main__":
    main()
