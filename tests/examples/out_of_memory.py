"""Run a script in which rank 1 runs out of memory once: `out_of_memory.py forward|backward SCRIPT …`."""

from __future__ import annotations

import os
import runpy
import sys
from pathlib import Path
from typing import Any

import torch

STEP = 3


def failing_once(function: Any, after: bool) -> Any:
    calls = 0

    def wrapper(*arguments: Any, **options: Any) -> Any:
        nonlocal calls
        calls += 1
        result = function(*arguments, **options) if after or calls != STEP else None
        if calls == STEP and os.environ["RANK"] == "1":
            raise torch.OutOfMemoryError("CUDA out of memory (made up by a test)")
        return function(*arguments, **options) if result is None and not after else result

    return wrapper


def main() -> None:
    where, script = sys.argv[1], sys.argv[2]
    if where == "forward":
        for name in ("mse_loss", "cross_entropy"):
            setattr(torch.nn.functional, name, failing_once(getattr(torch.nn.functional, name), after=False))
    else:
        torch.Tensor.backward = failing_once(torch.Tensor.backward, after=True)  # type: ignore[method-assign]
    sys.argv = sys.argv[2:]
    sys.path.insert(0, str(Path(script).parent))
    runpy.run_path(script, run_name="__main__")


if __name__ == "__main__":
    main()
