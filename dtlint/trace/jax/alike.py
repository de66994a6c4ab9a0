"""How does a run go on past a call that is wrong for the devices? At the lines named it is made to fit.

A `cond` takes one branch on all devices, a key is split into as many as there are devices, and a pmap copies what has
no axis for them.
"""

from __future__ import annotations

import functools
import sys
from collections.abc import Callable, Iterable
from typing import Any

import jax

from dtlint.trace.frames import line_of
from dtlint.trace.jax import pmaps


def install(places: Iterable[tuple[str, int]]) -> None:
    """Change the calls that these lines make."""
    wanted = {(path, int(line)) for path, line in places}
    if not wanted:
        return
    jax.lax.cond = alike(jax.lax.cond, wanted, lambda _, true_fun, __, *operands: true_fun(*operands))
    jax.lax.switch = alike(jax.lax.switch, wanted, lambda _, branches, *operands: branches[0](*operands))
    split = jax.random.split
    jax.random.split = alike(split, wanted, lambda key, *_: split(key, jax.local_device_count()))
    pmaps.copying = wanted


def alike(original: Any, wanted: set[tuple[str, int]], first: Callable[..., Any]) -> Any:
    @functools.wraps(original)
    def chosen(*given: Any, **keywords: Any) -> Any:
        if line_of(sys._getframe(1)) in wanted and not keywords:
            return first(*given)
        return original(*given, **keywords)

    return chosen
