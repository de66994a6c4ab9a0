from __future__ import annotations

import os
from datetime import timedelta

import torch
import torch.nn as nn
import torch.nn.functional as F
from torchft import Manager, ProcessGroupGloo


class LocalSGD:
    """Averages the parameters every `sync_every` optimizer steps."""

    def __init__(self, manager: Manager, model: nn.Module, optimizer, sync_every: int):
        if sync_every < 1:
            raise ValueError("sync_every must be at least 1")
        self._manager, self._model, self._optimizer = manager, model, optimizer
        self._sync_every, self._local_step = sync_every, 0
        self._hooks = []

    def __enter__(self) -> LocalSGD:
        self._hooks.append(self._optimizer.register_step_post_hook(self._step_post_hook))
        return self

    def __exit__(self, *exc) -> bool:
        for hook in self._hooks:
            hook.remove()
        self._hooks.clear()
        return False

    def _step_post_hook(self, *_):
        self._local_step += 1
        if self._local_step >= self._sync_every:
            self.sync()

    @torch.no_grad()
    def sync(self):
        self._manager.start_quorum()
        self._average()
        self._local_step = 0

    def _average(self):
        averaged = [p.data.clone() for p in self._model.parameters()]
        works = [self._manager.allreduce(t) for t in averaged]
        for work in works:
            work.wait()
        if self._manager.should_commit():
            for p, t in zip(self._model.parameters(), averaged):
                p.data.copy_(t)


def main(steps=200):
    replica = int(os.environ.get("REPLICA_GROUP_ID", 0))
    torch.manual_seed(0)
    model = nn.Linear(10, 2)
    optimizer = torch.optim.SGD(model.parameters(), lr=0.1)

    def state():
        return {"model": model.state_dict(), "optim": optimizer.state_dict()}

    def load(saved):
        model.load_state_dict(saved["model"])
        optimizer.load_state_dict(saved["optim"])

    manager = Manager(
        pg=ProcessGroupGloo(timeout=timedelta(seconds=20)),
        min_replica_size=2,
        use_async_quorum=False,
        load_state_dict=load,
        state_dict=state,
        replica_id=f"localsgd_{replica}",
    )
    g = torch.Generator().manual_seed(100 + replica)
    try:
        with LocalSGD(manager, model, optimizer, sync_every=8):
            for _ in range(steps):
                x = torch.randn(16, 10, generator=g)
                optimizer.zero_grad()
                F.cross_entropy(model(x), (x[:, 0] > 0).long()).backward()
                optimizer.step()
    finally:
        manager.shutdown(wait=False)


if __name__ == "__main__":
    main()
