"""What stands in for a data set that is not here? Small random data of the usual shape, and a notice saying so."""

from __future__ import annotations

import builtins
import contextlib
import importlib
import os
from typing import Any

import torch

from dtlint.trace.torch.recorder import Recorder

TOKENS = 8192
IMAGES = {  # torchvision data set → image shape, classes
    "MNIST": ((1, 28, 28), 10),
    "FashionMNIST": ((1, 28, 28), 10),
    "CIFAR10": ((3, 32, 32), 10),
    "CIFAR100": ((3, 32, 32), 100),
    "ImageNet": ((3, 64, 64), 10),
    "ImageFolder": ((3, 64, 64), 10),
}


def install(recorder: Recorder) -> None:
    told: set[str] = set()

    def tell(what: str) -> None:
        if what not in told:
            told.add(what)
            recorder.tell({"type": "notice", "text": f"synthetic data in place of {what}"})

    with contextlib.suppress(ImportError):
        _numpy_files(tell)
    with contextlib.suppress(Exception):
        _image_sets(tell)
    _text_files(tell)


def _numpy_files(tell: Any) -> None:
    import numpy

    memmap, load, fromfile = numpy.memmap, numpy.load, numpy.fromfile

    def tokens(dtype: Any) -> Any:
        generator = numpy.random.default_rng(0)
        kind = numpy.dtype(dtype)
        if kind.kind == "f":
            return generator.random(TOKENS).astype(kind)
        return generator.integers(0, 50, TOKENS).astype(kind)

    def missing(name: Any) -> bool:
        return isinstance(name, (str, os.PathLike)) and not os.path.exists(name)

    def fake_memmap(filename: Any, dtype: Any = numpy.uint8, mode: str = "r+", *args: Any, **keywords: Any) -> Any:
        if missing(filename) and mode in ("r", "r+", "c"):
            tell(str(filename))
            return tokens(dtype)
        return memmap(filename, dtype, mode, *args, **keywords)

    def fake_load(file: Any, *args: Any, **keywords: Any) -> Any:
        if missing(file):
            tell(str(file))
            return tokens(numpy.int64)
        return load(file, *args, **keywords)

    def fake_fromfile(file: Any, dtype: Any = float, *args: Any, **keywords: Any) -> Any:
        if missing(file):
            tell(str(file))
            return tokens(dtype)
        return fromfile(file, dtype, *args, **keywords)

    numpy.memmap, numpy.load, numpy.fromfile = fake_memmap, fake_load, fake_fromfile


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


def _text_files(tell: Any) -> None:
    real = builtins.open

    def fake_open(file: Any, mode: str = "r", *args: Any, **keywords: Any) -> Any:
        name = os.fspath(file) if isinstance(file, (str, os.PathLike)) else ""
        data = str(name).endswith((".txt", ".bin", ".npy", ".tsv", ".csv", ".jsonl"))
        if data and mode in ("r", "rt") and not os.path.exists(name):
            import io

            tell(str(name))
            return io.StringIO("the quick brown fox jumps over the lazy dog\n" * 200)
        return real(file, mode, *args, **keywords)

    builtins.open = fake_open
