from dataclasses import dataclass, replace


@dataclass(frozen=True)
class Loading:
    batch_size: int = 32
    num_workers: int = 4
    persistent_workers: bool = True


FULL = Loading()
DEBUG = replace(FULL, batch_size=4, num_workers=0, persistent_workers=False)
