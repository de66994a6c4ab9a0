import os
from dataclasses import dataclass


@dataclass
class Env:
    rank: int
    local_rank: int
    backend: str = "nccl"

    @classmethod
    def read(cls):
        return cls(int(os.environ["RANK"]), int(os.environ["LOCAL_RANK"]))
