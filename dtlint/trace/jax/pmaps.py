"""Which pmap is running, and where was it made? JAX itself calls all programs of pmap `_fun`."""

from __future__ import annotations

import os
import sys
import threading
from typing import Any

import jax

from dtlint.trace.frames import user_stack

_current = threading.local()
copying: set[tuple[str, int]] = set()  # lines of pmaps that copy to all devices what has no axis for them


class Named:
    """A mapped function that remembers its name while it runs."""

    def __init__(self, function: Any, mapped: Any) -> None:
        self.__wrapped__ = function
        stack = user_stack(sys._getframe(1))
        self._mapped = mapped
        self._made = stack[-1] if stack else None
        self._name = getattr(function, "__name__", "") or getattr(getattr(function, "func", None), "__name__", "pmap")

    def __call__(self, *values: Any, **keywords: Any) -> Any:
        before = running()
        _current.mapped = self
        if (
            copying
            and self._made is not None
            and (os.path.realpath(str(self._made["path"])), self._made["line"]) in copying
        ):
            values = jax.tree.map(_with_axis, values)
        try:
            return self._mapped(*values, **keywords)
        except Exception as error:
            if self._made is not None and not hasattr(error, "made_at"):
                error.made_at = self._made  # type: ignore[attr-defined]
            raise
        finally:
            _current.mapped = before

    def __getattr__(self, attribute: str) -> Any:
        return getattr(self._mapped, attribute)


def _with_axis(value: Any) -> Any:
    return jax.numpy.full(jax.local_device_count(), value) if jax.numpy.ndim(value) == 0 else value


def listen() -> None:
    original = jax.pmap

    def pmap(fun: Any, *arguments: Any, **options: Any) -> Any:
        return Named(fun, original(fun, *arguments, **options))

    jax.pmap = pmap


def running() -> Named | None:
    return getattr(_current, "mapped", None)


def current_name(name: str) -> str:
    mapped = running()
    return mapped._name if mapped is not None and name == "_fun" else name


def made() -> dict[str, object] | None:
    """The line that made the running pmap, where its axes are given."""
    mapped = running()
    return mapped._made if mapped is not None else None
