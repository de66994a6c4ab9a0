import torch

from loop import Replica


def source(width, seed):
    g = torch.Generator().manual_seed(seed)
    while True:
        yield torch.randn(16, width, generator=g)


if __name__ == "__main__":
    replica = Replica().build()
    replica.run(source(replica.width, seed=torch.initial_seed() % 997))
