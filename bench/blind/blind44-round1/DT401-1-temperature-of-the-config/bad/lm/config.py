import dataclasses


@dataclasses.dataclass(frozen=True)
class Sampling:
    temperature: float = 0.7
    label_smoothing: float = 0.1


@dataclasses.dataclass(frozen=True)
class Experiment:
    vocab: int = 64
    width: int = 32
    per_device: int = 4
    steps: int = 20
    sampling: Sampling = Sampling()
