from collections import defaultdict
from dataclasses import dataclass
from typing import Callable, TypeVar

E = TypeVar("E")


@dataclass(frozen=True)
class EpochEnded:
    epoch: int
    loss: float


@dataclass(frozen=True)
class Finished:
    epochs: int


class Bus:
    def __init__(self):
        self._by_type = defaultdict(list)

    def subscribe(self, kind: type[E], handler: Callable[[E], None]) -> None:
        self._by_type[kind].append(handler)

    def publish(self, event) -> None:
        for handler in self._by_type[type(event)]:
            handler(event)
