import torch
from torch import nn
from torch.utils.data import TensorDataset

from recipe import Recipe


class Stack(nn.Module):
    def __init__(self, width=512, depth=6):
        super().__init__()
        self.layers = nn.ModuleList(nn.Sequential(nn.Linear(width, width), nn.GELU()) for _ in range(depth))
        self.head = nn.Linear(width, 1)

    def forward(self, x):
        for layer in self.layers:
            x = x + layer(x)
        return self.head(x)


def main():
    x = torch.randn(8192, 512, generator=torch.Generator().manual_seed(4))
    recipe = Recipe(Stack).setup(TensorDataset(x, x.amax(1, keepdim=True)))
    recipe.train(3)
    recipe.close()


if __name__ == "__main__":
    main()
