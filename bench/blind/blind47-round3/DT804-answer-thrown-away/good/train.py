import torch
from torch import nn
from torchft import Manager, ProcessGroupGloo

from manual import FaultTolerantStep


def main():
    torch.manual_seed(0)
    model = nn.Linear(4, 4)
    optimizer = torch.optim.SGD(model.parameters(), 0.1)
    manager = Manager(
        pg=ProcessGroupGloo(),
        min_replica_size=2,
        load_state_dict=lambda state: model.load_state_dict(state),
        state_dict=lambda: model.state_dict(),
    )
    noise = torch.Generator().manual_seed(manager.participating_rank() or 0)
    try:
        while manager.current_step() < 1000:
            with FaultTolerantStep(manager, optimizer) as step:
                model(torch.randn(8, 4, generator=noise)).square().mean().backward()
                step.reduce(model)
    finally:
        manager.shutdown()


if __name__ == "__main__":
    main()
