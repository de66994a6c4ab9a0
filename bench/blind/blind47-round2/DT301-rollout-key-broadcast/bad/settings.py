import dataclasses
from typing import Literal

import tyro


@dataclasses.dataclass(frozen=True)
class Env:
    dim: int = 4
    horizon: int = 32


@dataclasses.dataclass(frozen=True)
class Args:
    env: Env = Env()
    lr: float = 3e-3
    updates: int = 50
    seed: int = 0
    schedule: Literal["constant", "linear"] = "constant"


def parse() -> Args:
    return tyro.cli(Args)
