"""How deep may code nest, and on what stack is deep code handled?

Parsers and tree walks recurse as deep as the source nests. The main thread's stack is too small for a few
thousand levels (a native parser then dies without a message), so such work runs on a thread with a large one.
"""

from __future__ import annotations

import gc
import sys
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any, TypeVar

Result = TypeVar("Result")

DEPTH_LIMIT = 1_000  # levels of nesting of one expression or statement; beyond it a file is not analysed
STACK_BYTES = 512 * 1024 * 1024  # reserved, not used: pages are taken as they are touched
FRAME_LIMIT = 30_000
RARELY = (5_000_000, 10, 10)  # containers more than before: most of a large project is through by then

_here = threading.local()


@contextmanager
def without_collector() -> Iterator[None]:
    """Nothing of a growing tree is garbage; the collector would walk it again and again."""
    collecting = gc.isenabled()
    gc.disable()
    try:
        yield
    finally:
        if collecting:
            gc.enable()


@contextmanager
def rarely_collected() -> Iterator[None]:
    """Trees and logs live as long as the analysis: the collector finds next to nothing, and looks at all of them."""
    usual = gc.get_threshold()
    gc.set_threshold(*RARELY)
    try:
        yield
    finally:
        gc.set_threshold(*usual)


def on_deep_stack(function: Callable[..., Result], *arguments: Any) -> Result:
    """Call `function` where thousands of levels of recursion are safe; exceptions come through unchanged."""
    if getattr(_here, "deep", False):
        return function(*arguments)
    outcome: list[Result] = []
    failure: list[BaseException] = []

    def work() -> None:
        _here.deep = True
        try:
            outcome.append(function(*arguments))
        except BaseException as error:
            failure.append(error)

    frames = sys.getrecursionlimit()
    stack = threading.stack_size()
    sys.setrecursionlimit(max(frames, FRAME_LIMIT))
    try:
        threading.stack_size(STACK_BYTES)
        thread = threading.Thread(target=work, name="dtlint-deep", daemon=True)
        thread.start()
    finally:
        threading.stack_size(stack)
    try:
        thread.join()
    finally:
        sys.setrecursionlimit(frames)
    if failure:
        raise failure[0]
    return outcome[0]
