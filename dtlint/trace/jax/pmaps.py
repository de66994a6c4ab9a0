"""What did the user call the function that is being mapped? JAX itself calls all programs of pmap `_fun`."""

from __future__ import annotations

import threading
from typing import Any

import jax

_current = threading.local()


class Named:
    """A mapped function that remembers its name while it runs."""

    def __init__(self, function: Any, mapped: Any) -> None:
        self.__wrapped__ = function
        self._mapped = mapped
        self._name = getattr(function, "__name__", "") or getattr(getattr(function, "func", None), "__name__", "pmap")

    def __call__(self, *values: Any, **keywords: Any) -> Any:
        before = getattr(_current, "name", "")
        _current.name = self._name
        try:
            return self._mapped(*values, **keywords)
        finally:
            _current.name = before

    def __getattr__(self, attribute: str) -> Any:
        return getattr(self._mapped, attribute)


def listen() -> None:
    original = jax.pmap

    def pmap(fun: Any, *arguments: Any, **options: Any) -> Any:
        return Named(fun, original(fun, *arguments, **options))

    jax.pmap = pmap


def in_pmap() -> bool:
    return bool(getattr(_current, "name", ""))


def current_name(name: str) -> str:
    return (getattr(_current, "name", "") or name) if name == "_fun" else name
