"""Whatever a transform is called, it gives back what it got: the pictures are tensors already."""

from __future__ import annotations

from typing import Any


class Same:
    def __init__(self, *_: Any, **__: Any) -> None: ...

    def __call__(self, picture: Any, *_: Any) -> Any:
        return picture


class Names:
    """`InterpolationMode` has the same under any name."""

    def __getattr__(self, name: str) -> Any:
        return Same


def __getattr__(name: str) -> Any:
    if name.startswith("__"):
        raise AttributeError(name)
    return Names() if name == "InterpolationMode" else Same


import torchvision.transforms.functional  # noqa: E402
import torchvision.transforms.v2  # noqa: E402, F401
