"""A stand-in for torchvision, for machines without it: random pictures, small networks, and transforms that do nothing."""

from torchvision import datasets, models, transforms, utils  # noqa: F401

STANDIN = True
__version__ = "0.25.0+standin"
