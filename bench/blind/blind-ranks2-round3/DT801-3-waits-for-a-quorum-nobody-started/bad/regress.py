import torch
from torch import nn
from torchft import DistributedDataParallel, Optimizer

from service import Fleet


class TrainingState:
    def __init__(self, width):
        self.net = nn.Sequential(nn.Linear(width, 16), nn.SiLU(), nn.Linear(16, 1))
        self.inner = torch.optim.AdamW(self.net.parameters(), lr=1e-2)

    def state_dict(self):
        return {"net": self.net.state_dict(), "inner": self.inner.state_dict()}

    def load_state_dict(self, state):
        self.net.load_state_dict(state["net"])
        self.inner.load_state_dict(state["inner"])


def main():
    torch.manual_seed(0)
    state = TrainingState(6)
    with Fleet("regress", state) as fleet:
        print(f"{fleet.ready()} replicas")
        model = DistributedDataParallel(fleet.manager, state.net)
        optimizer = Optimizer(fleet.manager, state.inner)
        data = torch.Generator().manual_seed(40 + fleet.index)
        while fleet.manager.current_step() < 20:
            x = torch.randn(16, 6, generator=data)
            optimizer.zero_grad()
            nn.functional.mse_loss(model(x), x.mean(dim=1, keepdim=True)).backward()
            optimizer.step()


if __name__ == "__main__":
    main()
