import os
from datetime import timedelta

import torch
import torch.nn.functional as F
from torch import nn
from torch.utils.data import DataLoader, TensorDataset
from torchft import Manager, ProcessGroupGloo
from torchft.data import DistributedSampler
from torchft.local_sgd import LocalSGD


def toy(n=2048):
    x = torch.randn(n, 20, generator=torch.Generator().manual_seed(14))
    return TensorDataset(x, x[:, :5].argmax(1))


def batches(loader, sampler, limit):
    produced, epoch = 0, 0
    while produced < limit:
        sampler.set_epoch(epoch)
        epoch += 1
        for batch in loader:
            yield batch
            produced += 1
            if produced == limit:
                return


def check(loss):
    if not torch.isfinite(loss):
        raise FloatingPointError("loss is not finite any more")


def train(manager, net, opt, loader, sampler, steps):
    with LocalSGD(manager, net, opt, sync_every=16):
        for x, y in batches(loader, sampler, steps):
            opt.zero_grad()
            loss = F.cross_entropy(net(x), y)
            check(loss)
            loss.backward()
            opt.step()


def main():
    group = int(os.environ["REPLICA_GROUP_ID"])
    groups = int(os.environ["NUM_REPLICA_GROUPS"])
    torch.manual_seed(1)
    net = nn.Sequential(nn.Linear(20, 40), nn.ReLU(), nn.Linear(40, 5))
    opt = torch.optim.AdamW(net.parameters(), lr=1e-3)
    dataset = toy()
    sampler = DistributedSampler(dataset, replica_rank=group, num_replica_groups=groups, shuffle=True)
    loader = DataLoader(dataset, batch_size=32, sampler=sampler, drop_last=True)
    manager = Manager(
        pg=ProcessGroupGloo(timeout=timedelta(seconds=20)),
        min_replica_size=1,
        use_async_quorum=False,
        load_state_dict=lambda s: (net.load_state_dict(s["net"]), opt.load_state_dict(s["opt"])),
        state_dict=lambda: {"net": net.state_dict(), "opt": opt.state_dict()},
        replica_id=f"localsgd_{group}",
    )
    train(manager, net, opt, loader, sampler, steps=800)
    if group == 0:
        torch.save(net.state_dict(), "localsgd.pt")
    manager.shutdown()


if __name__ == "__main__":
    main()
