import dataclasses

import jax


@dataclasses.dataclass(frozen=True)
class Config:
    num_examples: int = 2048
    per_device_batch: int = 8
    epochs: int = 2
    base_lr: float = 1e-3

    @property
    def steps_per_epoch(self):
        return self.num_examples // (self.per_device_batch * jax.local_device_count())

    @property
    def host_batch(self):
        return self.per_device_batch * jax.local_device_count()
