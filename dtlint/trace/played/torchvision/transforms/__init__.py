"""Whatever a transform is called, it gives back what it got, but for those that make tensors of pictures."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

import torch


class Same:
    def __init__(self, *_: Any, **__: Any) -> None: ...

    def __call__(self, picture: Any, *_: Any) -> Any:
        return picture


class Tensors(Same):
    def __call__(self, picture: Any, *_: Any) -> Any:
        return tensor_of(picture)


class Compose:
    def __init__(self, transforms: Iterable[Any]) -> None:
        self.transforms = list(transforms)

    def __call__(self, picture: Any) -> Any:
        for transform in self.transforms:
            picture = transform(picture)
        return picture


def tensor_of(picture: Any) -> Any:
    """Of a picture with a size and a mode, as PIL has them; whatever else stays as it is."""
    if not hasattr(picture, "getbands"):
        return picture
    width, height = picture.size
    flat = torch.frombuffer(bytearray(picture.tobytes()), dtype=torch.uint8)
    return flat.reshape(height, width, -1).permute(2, 0, 1).float() / 255


class Names:
    """`InterpolationMode` has the same under any name."""

    def __getattr__(self, name: str) -> Any:
        return Same


def __getattr__(name: str) -> Any:
    if name.startswith("__"):
        raise AttributeError(name)
    if name in ("ToTensor", "PILToTensor", "ToImage"):
        return Tensors
    return Names() if name == "InterpolationMode" else Same


import torchvision.transforms.functional  # noqa: E402
import torchvision.transforms.v2  # noqa: E402, F401
