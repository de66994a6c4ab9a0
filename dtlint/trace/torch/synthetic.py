"""What stands in for a data set that is not here? Small random data of the usual shape, and a notice saying so."""

from __future__ import annotations

import contextlib
import functools
import importlib
import os
from typing import Any

import torch

from dtlint.trace import made_up
from dtlint.trace.torch import hub
from dtlint.trace.torch.recorder import Recorder

SAMPLES = 128
COUNTS = frozenset(
    {"epoch", "step", "global_step", "iteration", "iter", "start_epoch", "best", "best_acc", "best_loss"}
)
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
    say = made_up.teller(recorder.tell)
    _checkpoints(say)
    hub.install(say)
    with contextlib.suppress(Exception):
        _image_sets(say)


class Kept(torch.Tensor):
    """What a file that is not here might hold: numbers, or parts under any name. Who loads a state from it stays as it
    was."""

    def __getitem__(self, where: Any) -> Any:
        if isinstance(where, str):
            return 0 if where in COUNTS else self
        return super().__getitem__(where)

    def __contains__(self, where: object) -> bool:
        return isinstance(where, str) or super().__contains__(where)

    def get(self, name: str, otherwise: Any = None) -> Any:
        return self[name] if otherwise is None else otherwise

    def items(self) -> Any:
        return {}.items()

    def keys(self) -> Any:
        return {}.keys()

    def __bool__(self) -> bool:
        return True if self.numel() > 1 else bool(self.item())


def _checkpoints(tell: made_up.Tell) -> None:
    load = torch.load

    def loading(file: Any, *args: Any, **keywords: Any) -> Any:
        if isinstance(file, (str, os.PathLike)) and not os.path.exists(file):
            tell(os.fspath(file))
            return torch.randn(SAMPLES, 16, generator=torch.Generator().manual_seed(0)).as_subclass(Kept)
        return load(file, *args, **keywords)

    torch.load = loading
    taking(torch.nn.Module, "load_state_dict", ([], []))
    taking(torch.optim.Optimizer, "load_state_dict", None)
    taking(torch.optim.lr_scheduler.LRScheduler, "load_state_dict", None)


def taking(kind: Any, name: str, answer: Any) -> None:
    real = getattr(kind, name)

    @functools.wraps(real)
    def take(self: Any, state: Any, *args: Any, **keywords: Any) -> Any:
        return answer if isinstance(state, Kept) else real(self, state, *args, **keywords)

    setattr(kind, name, take)


class Images(torch.utils.data.Dataset):
    def __init__(self, shape: tuple[int, ...], classes: int, transform: Any = None) -> None:
        self.shape, self.class_count, self.transform = shape, classes, transform
        self.classes = [str(number) for number in range(classes)]
        self.targets = [index % classes for index in range(len(self))]

    def __len__(self) -> int:
        return SAMPLES

    def __getitem__(self, index: int) -> tuple[Any, int]:
        if index >= len(self):
            raise IndexError(index)
        generator = torch.Generator().manual_seed(index)
        return torch.randn(self.shape, generator=generator), self.targets[index]


def image_set(name: str, tell: Any = None) -> type[Images]:
    """`torchvision.datasets.CIFAR10`, a class: scripts inherit from it."""
    shape, classes = IMAGES.get(name, IMAGES["ImageFolder"])

    def make(self: Images, *_: Any, **__: Any) -> None:
        if tell is not None:
            tell(f"torchvision.datasets.{name}")
        Images.__init__(self, shape, classes)

    return type(name, (Images,), {"__init__": make})


def _image_sets(tell: Any) -> None:
    datasets: Any = importlib.import_module("torchvision.datasets")
    for name in IMAGES:
        setattr(datasets, name, image_set(name, tell))
