import dataclasses

import jax


@dataclasses.dataclass(frozen=True)
class RunSettings:
    rows_per_device: int = 16
    steps: int = 300
    lr: float = 3e-3
    chips: int = jax.local_device_count()

    @property
    def local_rows(self):
        return self.rows_per_device * self.chips
