import os
from contextlib import ExitStack
from datetime import timedelta

import torch
from torch import nn
from torchft import Manager, ProcessGroupGloo

from sync import TwoLevelSync

POD = os.environ.get("POD", "0")
MEMBER = int(os.environ.get("REPLICA_GROUP_ID", "0"))
TIMEOUT = timedelta(seconds=15)


def make_manager(stack, level, lighthouse, model, size):
    manager = Manager(
        pg=ProcessGroupGloo(timeout=TIMEOUT),
        load_state_dict=model.load_state_dict,
        state_dict=model.state_dict,
        min_replica_size=size,
        replica_id=f"{level}_{POD}_{MEMBER}",
        lighthouse_addr=lighthouse,
        timeout=TIMEOUT,
        quorum_timeout=TIMEOUT,
        init_sync=False,
    )
    stack.callback(manager.shutdown, wait=False)
    return manager


def main():
    is_root = MEMBER == 0
    torch.manual_seed(0)
    model = nn.Sequential(nn.Linear(4, 16), nn.Tanh(), nn.Linear(16, 1))
    optimizer = torch.optim.SGD(model.parameters(), lr=0.05)
    with ExitStack() as stack:
        inner = make_manager(stack, "inner", os.environ["INNER_LIGHTHOUSE"], model, 2)
        outer = make_manager(stack, "outer", os.environ["OUTER_LIGHTHOUSE"], model, 1) if is_root else None
        sync = TwoLevelSync(model, inner, outer, is_root)
        data = torch.Generator().manual_seed(1000 + MEMBER)
        for step in range(1, 9):
            inputs = torch.randn(32, 4, generator=data)
            loss = (model(inputs) - inputs.prod(dim=1, keepdim=True)).square().mean()
            optimizer.zero_grad()
            loss.backward()
            optimizer.step()
            if step % 2 == 0:
                sync.inner_round()
            if step % 4 == 0:
                sync.outer_round()


if __name__ == "__main__":
    main()
