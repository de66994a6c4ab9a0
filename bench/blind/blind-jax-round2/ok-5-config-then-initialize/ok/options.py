import dataclasses
import os


@dataclasses.dataclass
class Options:
    seed: int = 1
    host_batch: int = 16
    steps: int = 10
    debug_nans: bool = False

    @classmethod
    def from_environment(cls):
        names = {f.name for f in dataclasses.fields(cls)}
        given = {k[6:].lower(): v for k, v in os.environ.items() if k.startswith("TRAIN_")}
        return cls(**{k: int(v) for k, v in given.items() if k in names})
