"""On which pretended GPU was a file saved, and which rank loads it without saying where to?"""

from __future__ import annotations

import functools
import os
import sys
from typing import Any

import torch

from dtlint.trace.frames import Line, line_of
from dtlint.trace.torch import cuda

DEEPEST = 6


class Placed:
    """The files of one rank."""

    def __init__(self) -> None:
        self.saved: dict[str, int] = {}  # file → GPU
        self.loaded: dict[tuple[Line, str], int] = {}  # line, file → GPU

    def install(self) -> None:
        save, load = torch.save, torch.load

        @functools.wraps(save)
        def saving(value: Any, file: Any, *args: Any, **keywords: Any) -> Any:
            if cuda.NAMED and (name := _name(file)) and _on_gpu(value, 0):
                self.saved[name] = cuda.NAMED[0]
            return save(value, file, *args, **keywords)

        @functools.wraps(load)
        def loading(file: Any, *args: Any, **keywords: Any) -> Any:
            says_where = args or keywords.get("map_location") is not None or keywords.get("mmap")
            name, line = _name(file), line_of(sys._getframe(1))
            if cuda.NAMED and name and line and not says_where:
                self.loaded[line, name] = cuda.NAMED[0]
            return load(file, *args, **keywords)

        torch.save, torch.load = saving, loading

    def fact(self, rank: int) -> dict[str, Any]:
        loaded = [
            {"path": line[0], "line": line[1], "file": name, "device": device}
            for (line, name), device in self.loaded.items()
        ]
        return {"kind": "devices", "rank": rank, "saved": self.saved, "loaded": loaded}


def _name(file: Any) -> str:
    name = getattr(file, "name", file)
    return os.path.realpath(os.fsdecode(name)) if isinstance(name, (str, bytes, os.PathLike)) else ""


def _on_gpu(value: Any, depth: int) -> bool:
    """Whether there is a tensor in it that was not brought to the host."""
    if isinstance(value, torch.Tensor):
        return not getattr(value, "dtlint_on_host", False)
    items = value.values() if isinstance(value, dict) else value if isinstance(value, (list, tuple)) else ()
    return depth < DEEPEST and any(_on_gpu(item, depth + 1) for item in items)
