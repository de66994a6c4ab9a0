from torch import nn


class Registry(type(nn.Module)):
    parts: dict = {}

    def __new__(mcls, name, bases, space, **kwargs):
        made = super().__new__(mcls, name, bases, space)
        Registry.parts[name.lower()] = made
        return made


class Part(nn.Module, metaclass=Registry):
    def __init__(self, width):
        super().__init__()
        self.layer = nn.Linear(width, width)


class Plain(Part):
    def forward(self, x):
        return self.layer(x)


class Residual(Part):
    def forward(self, x):
        return x + self.layer(x).relu()
