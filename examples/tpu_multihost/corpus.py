"""Write a small corpus of JSON lines, so that the examples run without a network."""

from __future__ import annotations

import json
from pathlib import Path

import numpy as np

WORDS = "the model reads every row once and learns what comes after the letters it has seen so far".split()


def write_corpus(path: Path, documents: int = 2001, seed: int = 0) -> None:
    generator = np.random.default_rng(seed)
    with path.open("w", encoding="utf-8") as file:
        for _ in range(documents):
            start, length = generator.integers(0, len(WORDS)), generator.integers(8, 16)
            words = [WORDS[(start + offset) % len(WORDS)] for offset in range(length)]
            file.write(json.dumps({"text": " ".join(words)}) + "\n")


if __name__ == "__main__":
    import sys

    write_corpus(Path(sys.argv[1]))
