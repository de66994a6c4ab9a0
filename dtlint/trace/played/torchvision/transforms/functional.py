"""Whatever is done to a picture leaves it as it is, unless a tensor is made of it."""

from __future__ import annotations

from typing import Any

from torchvision.transforms import InterpolationMode, tensor_of  # noqa: F401


def same(picture: Any, *_: Any, **__: Any) -> Any:
    return picture


def __getattr__(name: str) -> Any:
    if name.startswith("__"):
        raise AttributeError(name)
    return tensor_of if name in ("to_tensor", "pil_to_tensor", "to_image") else same
