"""A small network under the name of each large one, its last layer where scripts look for it."""

from __future__ import annotations

from typing import Any

import torch
from torch import nn

WIDTH = 8


class Network(nn.Module):
    def __init__(self, name: str, classes: int) -> None:
        super().__init__()
        convolution = nn.Conv2d(3, WIDTH, 3, padding=1)
        self.conv1, self.bn1, self.last = convolution, nn.BatchNorm2d(WIDTH), "fc"
        head: nn.Module = nn.Linear(WIDTH, classes)
        if name.startswith(("vgg", "alexnet")):
            self.last, head = "classifier", nn.Sequential(*(nn.Identity() for _ in range(6)), head)
        elif name.startswith(("mobilenet", "efficientnet", "mnasnet")):
            self.last, head = "classifier", nn.Sequential(nn.Dropout(), head)
        elif name.startswith("densenet"):
            self.last = "classifier"
        elif name.startswith("vit"):
            self.last, head = "heads", Heads(head)
        elif name.startswith("swin"):
            self.last = "head"
        setattr(self, self.last, head)

    def forward(self, pictures: torch.Tensor) -> Any:
        if pictures.shape[1] == 1:
            pictures = pictures.expand(-1, 3, -1, -1)
        return getattr(self, self.last)(torch.relu(self.bn1(self.conv1(pictures))).mean((2, 3)))


class Heads(nn.Module):
    def __init__(self, head: nn.Module) -> None:
        super().__init__()
        self.head = head

    def forward(self, hidden: torch.Tensor) -> Any:
        return self.head(hidden)


class AnyWeights:
    """`ResNet50_Weights.DEFAULT`"""

    def __getattr__(self, name: str) -> Any:
        return None


def get_model(name: str, num_classes: int = 1000, **_: Any) -> Network:
    return Network(name, num_classes)


def __getattr__(name: str) -> Any:
    if name.startswith("__"):
        raise AttributeError(name)
    if name.endswith("Weights"):
        return AnyWeights()
    return lambda *_, num_classes=1000, **__: Network(name, num_classes)
