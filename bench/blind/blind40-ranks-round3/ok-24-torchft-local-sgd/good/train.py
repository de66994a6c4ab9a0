import logging
import os
from datetime import timedelta

import torch
from torch import nn, optim
from torchft import Manager, ProcessGroupGloo
from torchft.local_sgd import LocalSGD

log = logging.getLogger("local-sgd")


class Data:
    def __init__(self, replica, batch=32):
        self.gen = torch.Generator().manual_seed(9000 + replica)
        self.batch = batch

    def __iter__(self):
        while True:
            x = torch.randn(self.batch, 13, generator=self.gen)
            yield x, x.softmax(1)[:, :1]


def main(steps=1000, sync_every=20):
    logging.basicConfig(level=logging.INFO)
    replica = int(os.environ.get("REPLICA_GROUP_ID", 0))
    torch.manual_seed(0)
    model = nn.Sequential(nn.Linear(13, 52), nn.GELU(), nn.Linear(52, 1))
    optimizer = optim.AdamW(model.parameters(), lr=2e-3)

    def load_state_dict(state):
        model.load_state_dict(state["model"])
        optimizer.load_state_dict(state["optimizer"])

    manager = Manager(
        pg=ProcessGroupGloo(timeout=timedelta(seconds=30)),
        min_replica_size=1,
        use_async_quorum=False,
        load_state_dict=load_state_dict,
        state_dict=lambda: {"model": model.state_dict(), "optimizer": optimizer.state_dict()},
        replica_id=f"local_sgd_{replica}",
    )
    try:
        with LocalSGD(manager, model, optimizer, sync_every=sync_every):
            for step, (x, y) in zip(range(steps), Data(replica)):
                optimizer.zero_grad()
                loss = nn.functional.mse_loss(model(x), y)
                loss.backward()
                optimizer.step()
                if step % 100 == 0:
                    log.info("replica %d step %d loss %.4f", replica, step, loss.item())
    finally:
        manager.shutdown(wait=False)


if __name__ == "__main__":
    main()
