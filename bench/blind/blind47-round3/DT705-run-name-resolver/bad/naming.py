from datetime import datetime
from pathlib import Path
from typing import Callable

import torch.distributed as dist

RESOLVERS: dict[str, Callable[[], str]] = {}


def resolver(fn):
    RESOLVERS[fn.__name__] = fn
    return fn


@resolver
def stamp() -> str:
    return datetime.now().strftime("%Y%m%d-%H%M%S")


def run_folder(pattern: str) -> Path:
    return Path(pattern.format(**{name: fn() for name, fn in RESOLVERS.items()}))
