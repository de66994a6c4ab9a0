import torch
from torch import nn
from torchft import Manager, ProcessGroupGloo

from strategies import Manual


def main():
    torch.manual_seed(0)
    model = nn.Linear(4, 4)
    manager = Manager(
        pg=ProcessGroupGloo(), min_replica_size=2, load_state_dict=model.load_state_dict, state_dict=model.state_dict
    )
    strategy = Manual(manager, torch.optim.SGD(model.parameters(), 0.1))
    try:
        for step in range(1000):
            strategy.begin()
            model(torch.randn(8, 4)).square().mean().backward()
            strategy.finish(model)
    finally:
        manager.shutdown()


if __name__ == "__main__":
    main()
