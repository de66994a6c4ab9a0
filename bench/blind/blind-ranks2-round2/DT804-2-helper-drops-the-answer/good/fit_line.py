import torch
from torch import nn

from replicas import Replicas


def batches(replicas, size, seed=0):
    """Endless batches; every replica draws other ones."""
    generator = torch.Generator().manual_seed(seed * 1000 + replicas.index)
    while True:
        x = torch.rand(size, 1, generator=generator)
        yield x, 3 * x - 1


def main():
    torch.manual_seed(0)
    line = nn.Linear(1, 1)
    optimizer = torch.optim.SGD(line.parameters(), lr=0.3)

    def save():
        return {"line": line.state_dict(), "optimizer": optimizer.state_dict()}

    def load(state):
        line.load_state_dict(state["line"])
        optimizer.load_state_dict(state["optimizer"])

    with Replicas("line", save, load) as replicas:
        for x, y in batches(replicas, 32):
            replicas.begin()
            optimizer.zero_grad()
            nn.functional.mse_loss(line(x), y).backward()
            replicas.average([p.grad for p in line.parameters()])
            if replicas.finish():
                optimizer.step()
            if replicas.rounds >= 30:
                break
        print(f"slope {line.weight.item():.2f}, offset {line.bias.item():.2f}")


if __name__ == "__main__":
    main()
