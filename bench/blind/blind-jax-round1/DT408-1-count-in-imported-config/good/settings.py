import dataclasses

import jax


@dataclasses.dataclass
class Settings:
    per_device_batch: int = 16
    steps: int = 20
    lr: float = 0.05
    devices_per_host: int = dataclasses.field(default_factory=jax.local_device_count)

    @property
    def host_batch(self):
        return self.per_device_batch * self.devices_per_host
