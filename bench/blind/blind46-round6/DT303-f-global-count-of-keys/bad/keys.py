from dataclasses import dataclass, field

import jax


@dataclass
class DeviceKeys:
    seed: int
    key: jax.Array = field(init=False)

    def __post_init__(self):
        self.key = jax.random.fold_in(jax.random.PRNGKey(self.seed), jax.process_index())

    def next(self):
        self.key, sub = jax.random.split(self.key)
        return jax.random.split(sub, jax.device_count())
