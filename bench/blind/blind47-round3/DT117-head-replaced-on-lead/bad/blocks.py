from typing import Callable

from torch import nn

HEADS: dict[str, Callable[[int, int], nn.Module]] = {}


def head(name):
    def keep(fn):
        HEADS[name] = fn
        return fn

    return keep


@head("linear")
def linear(width, classes):
    return nn.Linear(width, classes)


@head("mlp")
def mlp(width, classes):
    return nn.Sequential(nn.Linear(width, width), nn.GELU(), nn.Linear(width, classes))


class Net(nn.Module):
    def __init__(self, width, classes, head="linear"):
        super().__init__()
        self.body = nn.Sequential(nn.Linear(width, width), nn.ReLU())
        self.head = HEADS[head](width, classes)

    def forward(self, x):
        return self.head(self.body(x))

    def use_head(self, name, width, classes):
        self.head = HEADS[name](width, classes)
        return self
