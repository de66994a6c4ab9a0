from typing import NamedTuple


class Place(NamedTuple):
    size: int
    last: bool


def plan(batches, window):
    """For each batch: how large its window is, and whether it closes it."""
    whole = batches // window * window
    for i in range(batches):
        size = window if i < whole else batches - whole
        yield Place(size, (i + 1) % window == 0 or i + 1 == batches)
