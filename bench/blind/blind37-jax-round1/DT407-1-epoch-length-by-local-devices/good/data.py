import dataclasses

import jax
import numpy as np


@dataclasses.dataclass(frozen=True)
class Plan:
    """How long an epoch is, and how much of it this host feeds."""

    per_device_batch: int
    n_examples: int
    epochs: int

    @property
    def global_batch(self):
        return self.per_device_batch * jax.device_count()

    @property
    def steps_per_epoch(self):
        return self.n_examples // self.global_batch

    @property
    def total_steps(self):
        return self.steps_per_epoch * self.epochs


def host_stream(plan, seed):
    draw = np.random.default_rng([seed, jax.process_index()])
    shape = (jax.local_device_count(), plan.per_device_batch, 28 * 28)
    while True:
        image = draw.random(shape, dtype=np.float32)
        yield {"image": image, "label": (image.sum(-1) // 40).astype(np.int32) % 10}
