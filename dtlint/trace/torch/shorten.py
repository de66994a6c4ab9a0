"""How does a run that would take too long come to its end? Loaders stop after a few batches, on all ranks alike."""

from __future__ import annotations

from typing import Any

from torch.utils.data import dataloader


def install(batches: int) -> None:
    """Each pass over a loader ends after so many batches; 0: as it is."""
    if not batches:
        return
    iterating: Any = dataloader._SingleProcessDataLoaderIter
    following = iterating._next_data

    def next_data(iterator: Any) -> Any:
        iterator.dtlint_given = getattr(iterator, "dtlint_given", 0) + 1
        if iterator.dtlint_given > batches:
            iterator.dtlint_cut = True
            raise StopIteration
        return following(iterator)

    iterating._next_data = next_data
