from dataclasses import dataclass, replace


@dataclass(frozen=True)
class LoaderOptions:
    batch_size: int = 128
    num_workers: int = 8
    persistent_workers: bool = True
    pin_memory: bool = True


FULL = LoaderOptions()
DEBUG = replace(FULL, batch_size=8, num_workers=0, persistent_workers=False)
