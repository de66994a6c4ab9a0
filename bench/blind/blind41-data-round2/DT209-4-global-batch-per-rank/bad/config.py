import simple_parsing
from dataclasses import dataclass


@dataclass
class Options:
    global_batch: int = 1024  # over all ranks
    lr: float = 0.4
    epochs: int = 5

    @classmethod
    def read(cls):
        return simple_parsing.parse(cls)
