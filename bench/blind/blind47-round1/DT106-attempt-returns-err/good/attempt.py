import functools
from typing import Callable, NamedTuple, Optional, ParamSpec, TypeVar

import torch

P = ParamSpec("P")
R = TypeVar("R")


class Outcome(NamedTuple):
    value: Optional[object]
    error: Optional[BaseException]

    @property
    def failed(self) -> bool:
        return self.error is not None


def attempt(fn: Callable[P, R]) -> Callable[P, Outcome]:
    @functools.wraps(fn)
    def inner(*args: P.args, **kwargs: P.kwargs) -> Outcome:
        try:
            return Outcome(fn(*args, **kwargs), None)
        except torch.OutOfMemoryError as error:
            torch.cuda.empty_cache()
            raise RuntimeError(f"{fn.__name__}: out of memory, lower --batch") from error

    return inner
