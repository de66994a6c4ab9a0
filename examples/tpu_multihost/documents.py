"""Which documents does this process read, and how do they become rows of characters?"""

from __future__ import annotations

import itertools
import json
import queue
import threading
from collections.abc import Iterator
from pathlib import Path

import numpy as np

from network import CONTEXT, VOCABULARY


def encode(text: str) -> list[int]:
    """Every character has a number: a document that one host cannot encode would leave it a row short."""
    return [ord(character) % VOCABULARY for character in text]


def count_documents(path: Path) -> int:
    with path.open(encoding="utf-8") as file:
        return sum(1 for _ in file)


def documents_of_process(path: Path, process_index: int, process_count: int) -> Iterator[str]:
    """Every process_count-th document, the same number for every process, over and over again."""
    usable = count_documents(path) // process_count * process_count
    while True:
        with path.open(encoding="utf-8") as file:
            for line in itertools.islice(file, process_index, usable, process_count):
                yield json.loads(line)["text"]


def batches(path: Path, rows: int, process_index: int, process_count: int) -> Iterator[np.ndarray]:
    tokens: list[int] = []
    batch: list[list[int]] = []
    for text in documents_of_process(path, process_index, process_count):
        tokens += encode(text)
        while len(tokens) > CONTEXT:
            batch.append(tokens[: CONTEXT + 1])
            tokens = tokens[3:]
            if len(batch) == rows:
                yield np.asarray(batch, dtype=np.int32)
                batch = []


def prefetched(source: Iterator[np.ndarray], depth: int) -> Iterator[np.ndarray]:
    """Read ahead in a thread that touches no device."""
    ready: queue.Queue[np.ndarray] = queue.Queue(maxsize=depth)

    def fill() -> None:
        for batch in source:
            ready.put(batch)

    threading.Thread(target=fill, daemon=True).start()
    while True:
        yield ready.get()
