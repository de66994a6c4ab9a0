import contextlib
import os
from datetime import timedelta

import torch
from torch import nn
from torchft import Manager, ProcessGroupGloo


class Site:
    def __init__(self, name, lighthouse, module, optimizer):
        self.manager = Manager(
            pg=ProcessGroupGloo(timeout=timedelta(seconds=30)),
            min_replica_size=1,
            load_state_dict=lambda s: (module.load_state_dict(s["m"]), optimizer.load_state_dict(s["o"])),
            state_dict=lambda: {"m": module.state_dict(), "o": optimizer.state_dict()},
            replica_id=name,
            lighthouse_addr=lighthouse,
        )
        self.module, self.optimizer = module, optimizer

    @contextlib.contextmanager
    def round(self):
        self.manager.start_quorum()
        self.optimizer.zero_grad()
        yield
        for p in self.module.parameters():
            self.manager.allreduce(p.grad).wait()
        if self.manager.should_commit():
            self.optimizer.step()


def main():
    torch.manual_seed(0)
    encoder, head = nn.Linear(12, 6), nn.Linear(6, 2)
    name = os.environ["REPLICA"]
    near = Site(f"near_{name}", os.environ["NEAR"], encoder, torch.optim.Adam(encoder.parameters(), lr=1e-3))
    far = Site(f"far_{name}", os.environ["FAR"], head, torch.optim.Adam(head.parameters(), lr=1e-3))
    source = torch.Generator().manual_seed(int(os.environ["REPLICA_NUMBER"]))
    try:
        for _ in range(200):
            x = torch.randn(32, 12, generator=source)
            with near.round(), far.round():
                nn.functional.cross_entropy(head(encoder(x).relu()), (x[:, 0] > 0).long()).backward()
    finally:
        near.manager.shutdown()
        far.manager.shutdown()


if __name__ == "__main__":
    main()
