"""What stands in for a data set that is not here? Small random data of the usual shape, and a notice saying so."""

from __future__ import annotations

import contextlib
import importlib
from typing import Any

import torch

from dtlint.trace import made_up
from dtlint.trace.torch.recorder import Recorder

IMAGES = {  # torchvision data set → image shape, classes
    "MNIST": ((1, 28, 28), 10),
    "FashionMNIST": ((1, 28, 28), 10),
    "CIFAR10": ((3, 32, 32), 10),
    "CIFAR100": ((3, 32, 32), 100),
    "ImageNet": ((3, 64, 64), 10),
    "ImageFolder": ((3, 64, 64), 10),
}


def install(recorder: Recorder) -> None:
    made_up.install(recorder.tell)
    with contextlib.suppress(Exception):
        _image_sets(made_up.teller(recorder.tell))


class _Images(torch.utils.data.Dataset):
    def __init__(self, shape: tuple[int, ...], classes: int, transform: Any = None) -> None:
        self.shape, self.class_count, self.transform = shape, classes, transform
        self.classes = [str(number) for number in range(classes)]
        self.targets = [index % classes for index in range(len(self))]

    def __len__(self) -> int:
        return 128

    def __getitem__(self, index: int) -> tuple[Any, int]:
        if index >= len(self):
            raise IndexError(index)
        generator = torch.Generator().manual_seed(index)
        return torch.randn(self.shape, generator=generator), self.targets[index]


def _image_sets(tell: Any) -> None:
    datasets: Any = importlib.import_module("torchvision.datasets")

    for name, (shape, classes) in IMAGES.items():

        def make(*_: Any, _name: str = name, _shape: Any = shape, _classes: int = classes, **__: Any) -> _Images:
            tell(f"torchvision.datasets.{_name}")
            return _Images(_shape, _classes)

        setattr(datasets, name, make)
