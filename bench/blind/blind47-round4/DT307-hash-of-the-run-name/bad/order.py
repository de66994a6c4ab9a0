import random
from typing import Iterator, Sequence, TypeVar

T = TypeVar("T")


def seed_of(name: str) -> int:
    return hash(name) % 2**31


def shuffled(items: Sequence[T], name: str) -> list[T]:
    order = list(items)
    random.Random(seed_of(name)).shuffle(order)
    return order


def part(items: Sequence[T], rank: int, world: int) -> Iterator[T]:
    usable = len(items) - len(items) % world
    return iter(items[rank:usable:world])
