from typing import Any, Callable, TypeVar

T = TypeVar("T")


class Container:
    """Singletons, built when they are first asked for."""

    def __init__(self):
        self._makers: dict[type, Callable[["Container"], Any]] = {}
        self._made: dict[type, Any] = {}

    def provide(self, kind: type[T], maker: Callable[["Container"], T]) -> None:
        self._makers[kind] = maker

    def get(self, kind: type[T]) -> T:
        if kind not in self._made:
            self._made[kind] = self._makers[kind](self)
        return self._made[kind]
