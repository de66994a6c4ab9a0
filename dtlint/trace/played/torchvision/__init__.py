"""A stand-in for torchvision, where it is missing: random pictures, small networks, and transforms that do nothing."""

from torchvision import datasets, models, transforms, utils  # noqa: F401

STANDIN = True
__version__ = "0.25.0+standin"
