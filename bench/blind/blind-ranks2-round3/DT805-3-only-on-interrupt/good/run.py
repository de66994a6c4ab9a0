import logging
import os
from dataclasses import dataclass
from datetime import timedelta

import torch
from torch import nn
from torchft import DistributedDataParallel, Manager, Optimizer, ProcessGroupGloo

log = logging.getLogger(__name__)


@dataclass
class Settings:
    steps: int = 15
    width: int = 9
    replica: int = int(os.environ.get("REPLICA_GROUP_ID", "0"))


class Run:
    def __init__(self, settings):
        self.settings = settings
        self.net = nn.Linear(settings.width, settings.width)
        self.inner = torch.optim.Adam(self.net.parameters(), lr=1e-2)
        self.manager = Manager(
            pg=ProcessGroupGloo(timeout=timedelta(seconds=20)),
            load_state_dict=self._load,
            state_dict=self._save,
            min_replica_size=1,
            replica_id=f"run_{settings.replica}",
            timeout=timedelta(seconds=20),
        )
        self.model = DistributedDataParallel(self.manager, self.net)
        self.optimizer = Optimizer(self.manager, self.inner)
        self.data = torch.Generator().manual_seed(90 + settings.replica)

    def _save(self):
        return {"net": self.net.state_dict(), "inner": self.inner.state_dict()}

    def _load(self, state):
        self.net.load_state_dict(state["net"])
        self.inner.load_state_dict(state["inner"])

    def batch(self):
        x = torch.randn(16, self.settings.width, generator=self.data)
        if not torch.isfinite(x).all():
            raise ValueError("damaged batch")
        return x

    def loop(self):
        while self.manager.current_step() < self.settings.steps:
            x = self.batch()
            self.optimizer.zero_grad()
            nn.functional.mse_loss(self.model(x), x.flip(1)).backward()
            self.optimizer.step()

    def close(self):
        self.manager.shutdown(wait=False)


def main():
    logging.basicConfig(level=logging.INFO)
    torch.manual_seed(0)
    run = Run(Settings())
    try:
        run.loop()
    except KeyboardInterrupt:
        log.warning("stopped by hand")
    finally:
        run.close()


if __name__ == "__main__":
    main()
