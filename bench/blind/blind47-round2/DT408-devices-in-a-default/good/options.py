from dataclasses import dataclass, field

import jax


@dataclass
class Options:
    epochs: int = 3
    per_device: int = 16
    devices: int = 0  # filled in by main(), once the job has been joined

    @property
    def host_batch(self):
        return self.per_device * self.devices
