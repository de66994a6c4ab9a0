import itertools
from pathlib import Path
from typing import Iterator

import torch


def segments(path: Path, length: int) -> Iterator[tuple[torch.Tensor, torch.Tensor]]:
    text = torch.frombuffer(bytearray(path.read_bytes()), dtype=torch.uint8).long()
    yield from itertools.pairwise(text.split(length))
