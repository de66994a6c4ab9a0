import contextlib
import os
from datetime import timedelta

import torch
from torch import nn
from torchft import Manager, ProcessGroupGloo
from torchft.local_sgd import DiLoCo


@contextlib.contextmanager
def managed(model, inner, outer, name):
    def load(state):
        model.load_state_dict(state["model"])
        inner.load_state_dict(state["inner"])
        outer.load_state_dict(state["outer"])

    def save():
        return {"model": model.state_dict(), "inner": inner.state_dict(), "outer": outer.state_dict()}

    manager = Manager(
        pg=ProcessGroupGloo(timeout=timedelta(seconds=60)),
        load_state_dict=load,
        state_dict=save,
        min_replica_size=1,
        use_async_quorum=False,
        replica_id=name,
    )
    try:
        yield manager
    finally:
        manager.shutdown()


def main():
    replica = int(os.environ["REPLICA_GROUP_ID"])
    torch.manual_seed(0)
    model = nn.Sequential(nn.Linear(16, 32), nn.GELU(), nn.Linear(32, 16))
    inner = torch.optim.AdamW(model.parameters(), lr=4e-4)
    outer = torch.optim.SGD(model.parameters(), lr=0.7, momentum=0.9, nesterov=True)
    source = torch.Generator().manual_seed(10 + replica)
    with managed(model, inner, outer, f"diloco_{replica}") as manager:
        with DiLoCo(manager, [model], inner, outer, sync_every=20):
            for step in range(1000):
                x = torch.randn(64, 16, generator=source)
                inner.zero_grad()
                loss = nn.functional.mse_loss(model(x), x.roll(1, 1))
                loss.backward()
                inner.step()
                if step % 100 == 0:
                    print(f"replica {replica} step {step} own loss {loss.item():.4f}")


if __name__ == "__main__":
    main()
