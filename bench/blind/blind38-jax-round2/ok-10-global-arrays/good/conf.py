from dataclasses import dataclass

import yaml


@dataclass(frozen=True)
class Conf:
    coordinator: str = "localhost:1234"
    hosts: int = 1
    host: int = 0
    batch: int = 1024
    steps: int = 100
    workers: int = 8

    @classmethod
    def read(cls, path):
        with open(path) as source:
            return cls(**yaml.safe_load(source))
