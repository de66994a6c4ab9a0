from contextlib import contextmanager

import torch
from torch import nn
from torchft import Manager, ProcessGroupGloo


@contextmanager
def managed(model):
    manager = Manager(
        pg=ProcessGroupGloo(), min_replica_size=1, load_state_dict=model.load_state_dict, state_dict=model.state_dict
    )
    try:
        yield manager
    finally:
        manager.shutdown()


def main():
    torch.manual_seed(0)
    model = nn.Linear(3, 3)
    optimizer = torch.optim.SGD(model.parameters(), 0.1)
    with managed(model) as manager:
        for step in range(100):
            manager.start_quorum()
            optimizer.zero_grad()
            x = torch.randn(4, 3, generator=torch.Generator().manual_seed(step))
            model(x).square().mean().backward()
            for work in [manager.allreduce(p.grad) for p in model.parameters()]:
                work.wait()
            if manager.should_commit():
                optimizer.step()


if __name__ == "__main__":
    main()
