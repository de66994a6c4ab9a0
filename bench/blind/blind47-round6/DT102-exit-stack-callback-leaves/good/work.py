from typing import Iterator


def shares(items: list, world: int) -> list[list]:
    size = -(-len(items) // world)
    return [items[i * size : (i + 1) * size] for i in range(world)]
