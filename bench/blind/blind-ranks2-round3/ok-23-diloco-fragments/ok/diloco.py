import os
from datetime import timedelta

import torch
from torch import nn
from torchft import Manager, ProcessGroupGloo
from torchft.local_sgd import DiLoCo


class State:
    def __init__(self):
        self.model = nn.Sequential(nn.Linear(6, 24), nn.ReLU(), nn.Linear(24, 6))
        self.inner = torch.optim.AdamW(self.model.parameters(), lr=1e-3)
        self.outer = torch.optim.SGD(self.model.parameters(), lr=0.7, momentum=0.9, nesterov=True)

    def state_dict(self):
        return {name: getattr(self, name).state_dict() for name in ("model", "inner", "outer")}

    def load_state_dict(self, held):
        for name in ("model", "inner", "outer"):
            getattr(self, name).load_state_dict(held[name])


def main():
    replica = int(os.environ.get("REPLICA_GROUP_ID", "0"))
    torch.manual_seed(0)
    state = State()
    manager = Manager(
        pg=ProcessGroupGloo(timeout=timedelta(seconds=20)),
        load_state_dict=state.load_state_dict,
        state_dict=state.state_dict,
        min_replica_size=1,
        use_async_quorum=False,
        replica_id=f"diloco_{replica}",
        timeout=timedelta(seconds=20),
    )
    data = torch.Generator().manual_seed(60 + replica)
    try:
        with DiLoCo(manager, [state.model], state.inner, state.outer, sync_every=5):
            for step in range(20):
                x = torch.randn(16, 6, generator=data)
                state.inner.zero_grad()
                loss = nn.functional.mse_loss(state.model(x), x.roll(1, dims=1))
                loss.backward()
                state.inner.step()
        print(f"replica {replica}: step {manager.current_step()}, last loss {loss.item():.4f}")
    finally:
        manager.shutdown(wait=False)


if __name__ == "__main__":
    main()
