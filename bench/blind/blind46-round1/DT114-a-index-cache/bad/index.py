from pathlib import Path

import numpy as np
import torch.distributed as dist


def index_path(root: Path, length: int) -> Path:
    return root / f"index_{length}.npy"


def build(path: Path, tokens: np.ndarray, length: int) -> None:
    starts = np.arange(0, len(tokens) - length, length, dtype=np.int64)
    np.random.default_rng(0).shuffle(starts)
    np.save(path, starts)


def open_index(root: Path, tokens: np.ndarray, length: int) -> np.ndarray:
    path = index_path(root, length)
    if dist.get_rank() == 0:
        root.mkdir(parents=True, exist_ok=True)
        build(path, tokens, length)
    return np.load(path, mmap_mode="r")
