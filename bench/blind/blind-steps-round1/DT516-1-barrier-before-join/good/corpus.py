import os
from pathlib import Path

import numpy as np
import torch
import torch.distributed as dist
from torch.utils.data import TensorDataset

CACHE = Path(os.environ.get("CORPUS_CACHE", "corpus_cache"))


def prepare_corpus(rank: int) -> Path:
    """Tokenise once, on rank 0; everybody waits for the file."""
    target = CACHE / "tokens.npy"
    if rank == 0 and not target.exists():
        CACHE.mkdir(parents=True, exist_ok=True)
        tokens = np.random.default_rng(0).integers(0, 256, size=(2048, 17))
        np.save(target, tokens)
    dist.barrier()
    return target


def load_corpus(path: Path) -> TensorDataset:
    tokens = torch.from_numpy(np.load(path))
    return TensorDataset(tokens[:, :-1].clone(), tokens[:, 1:].clone())
