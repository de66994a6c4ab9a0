"""Random pictures of the usual shape."""

from __future__ import annotations

from typing import Any

from dtlint.trace.torch.synthetic import image_set


def __getattr__(name: str) -> Any:
    if name.startswith("_"):
        raise AttributeError(name)
    return image_set(name)
