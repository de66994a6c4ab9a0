from dataclasses import dataclass, field

import jax


@dataclass
class Options:
    epochs: int = 3
    per_device: int = 16
    devices: int = jax.local_device_count()

    @property
    def host_batch(self):
        return self.per_device * self.devices
