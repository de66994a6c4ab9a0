import argparse
from dataclasses import dataclass, field, fields

import jax


@dataclass
class Settings:
    coordinator: str = ""
    hosts: int = 1
    host: int = 0
    width: int = 256
    steps: int = 100
    replicas: int = field(default_factory=jax.device_count)
    per_replica_batch: int = 32
    lr: float = 1e-3

    @property
    def global_batch(self):
        return self.replicas * self.per_replica_batch


def from_command_line(argv=None):
    parser = argparse.ArgumentParser()
    for f in fields(Settings):
        if f.name != "replicas":
            parser.add_argument("--" + f.name.replace("_", "-"), type=f.type, default=f.default)
    return Settings(**vars(parser.parse_args(argv)))
