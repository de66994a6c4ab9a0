import itertools
import os
from datetime import timedelta

import torch
import torch.nn.functional as F
from torch import nn
from torch.utils.data import DataLoader, TensorDataset
from torchft import Manager, ProcessGroupGloo
from torchft.data import DistributedSampler
from torchft.local_sgd import DiLoCo

REPLICA = int(os.environ["REPLICA_GROUP_ID"])
REPLICAS = int(os.environ["NUM_REPLICA_GROUPS"])


class Net(nn.Module):
    def __init__(self):
        super().__init__()
        self.a = nn.Linear(16, 48)
        self.b = nn.Linear(48, 4)

    def forward(self, x):
        return self.b(F.silu(self.a(x)))


def stream(batch_size):
    x = torch.randn(4096, 16, generator=torch.Generator().manual_seed(44))
    data = TensorDataset(x, x[:, :4].argmax(1))
    sampler = DistributedSampler(data, replica_rank=REPLICA, num_replica_groups=REPLICAS, shuffle=True)
    loader = DataLoader(data, batch_size=batch_size, sampler=sampler, drop_last=True)
    for epoch in itertools.count():
        sampler.set_epoch(epoch)
        yield from loader


def main():
    torch.manual_seed(0)
    net = Net()
    inner = torch.optim.AdamW(net.parameters(), lr=4e-4)
    outer = torch.optim.SGD(net.parameters(), lr=0.7, momentum=0.9, nesterov=True)

    def save():
        return {"net": net.state_dict(), "inner": inner.state_dict(), "outer": outer.state_dict()}

    def restore(state):
        net.load_state_dict(state["net"])
        inner.load_state_dict(state["inner"])
        outer.load_state_dict(state["outer"])

    manager = Manager(
        pg=ProcessGroupGloo(timeout=timedelta(seconds=30)),
        min_replica_size=1,
        use_async_quorum=False,
        state_dict=save,
        load_state_dict=restore,
        replica_id=f"diloco_{REPLICA}",
    )
    try:
        with DiLoCo(manager, [net], inner, outer, sync_every=20):
            for x, y in itertools.islice(stream(32), 1000):
                inner.zero_grad()
                loss = F.cross_entropy(net(x), y)
                loss.backward()
                inner.step()
        if REPLICA == 0:
            torch.save(net.state_dict(), "diloco.pt")
    finally:
        manager.shutdown()


if __name__ == "__main__":
    main()
