import torch
from torch import nn
from torch.utils.data import TensorDataset

from trainer import Trainer


def main():
    torch.manual_seed(0)
    x = torch.randn(20_000, 16, generator=torch.Generator().manual_seed(1))
    net = nn.Sequential(nn.Linear(16, 64), nn.ReLU(), nn.Linear(64, 4))
    Trainer(net, TensorDataset(x, x[:, :4].argmax(1)), "/shared/runs/argmax").fit()


if __name__ == "__main__":
    main()
