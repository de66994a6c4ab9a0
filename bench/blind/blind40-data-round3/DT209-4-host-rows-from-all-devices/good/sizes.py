import dataclasses

import jax


@dataclasses.dataclass(frozen=True)
class Sizes:
    global_batch: int

    @property
    def per_device(self):
        if self.global_batch % jax.device_count():
            raise ValueError(f"{self.global_batch} rows do not divide over {jax.device_count()} devices")
        return self.global_batch // jax.device_count()

    @property
    def per_host(self):
        return self.per_device * jax.local_device_count()
