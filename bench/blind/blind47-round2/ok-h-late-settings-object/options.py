from dataclasses import dataclass, field

import jax


@dataclass
class Options:
    per_device: int = 16
    devices: int = field(default_factory=jax.local_device_count)
    hosts: int = field(default_factory=jax.process_count)
