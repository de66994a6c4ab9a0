import dataclasses
import os


@dataclasses.dataclass(frozen=True)
class Node:
    local_rank: int
    name: str

    @classmethod
    def current(cls):
        raw = os.environ.get("LOCAL_RANK")
        return cls(int(raw) if raw is not None else -1, os.environ.get("HOSTNAME", "localhost"))

    @property
    def is_first(self):
        return self.local_rank == 0
