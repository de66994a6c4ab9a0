from itertools import chain, islice
from typing import Iterator

import numpy as np
from datasets import load_dataset
import jax
from datasets.distributed import split_dataset_by_node


def documents() -> Iterator[bytes]:
    rows = load_dataset("allenai/c4", "en", split="train", streaming=True)
    rows = split_dataset_by_node(rows, rank=jax.process_index(), world_size=jax.process_count())
    yield from (row["text"].encode() for row in rows)


def windows(length) -> Iterator[np.ndarray]:
    stream = chain.from_iterable(documents())
    while len(window := list(islice(stream, length + 1))) == length + 1:
        yield np.asarray(window, dtype=np.int32)


def batches(size, length) -> Iterator[np.ndarray]:
    rows = windows(length)
    while len(batch := list(islice(rows, size))) == size:
        yield np.stack(batch)
