"""The one function of `datasets.distributed`."""

from __future__ import annotations

from datasets import Dataset  # type: ignore[import-not-found, unused-ignore]


def split_dataset_by_node(dataset: Dataset, rank: int, world_size: int) -> Dataset:
    return dataset.shard(world_size, rank)
