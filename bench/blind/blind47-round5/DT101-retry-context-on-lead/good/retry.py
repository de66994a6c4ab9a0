import functools
import time
from typing import Callable, ParamSpec, TypeVar

P = ParamSpec("P")
R = TypeVar("R")


def retry(times: int = 3, wait: float = 1.0) -> Callable[[Callable[P, R]], Callable[P, R]]:
    def around(fn: Callable[P, R]) -> Callable[P, R]:
        @functools.wraps(fn)
        def inner(*args: P.args, **kwargs: P.kwargs) -> R:
            for attempt in range(1, times + 1):
                try:
                    return fn(*args, **kwargs)
                except OSError:
                    if attempt == times:
                        raise
                    time.sleep(wait * attempt)
            raise AssertionError

        return inner

    return around
