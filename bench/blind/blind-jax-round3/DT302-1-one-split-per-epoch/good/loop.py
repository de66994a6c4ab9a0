import dataclasses
from collections.abc import Callable, Iterable

import jax


@dataclasses.dataclass
class Loop:
    step: Callable
    batches: Callable[[int], Iterable]
    on_epoch_end: list = dataclasses.field(default_factory=list)

    def run(self, state, key, epochs):
        for epoch in range(epochs):
            key, epoch_key = jax.random.split(key)
            for batch in self.batches(epoch):
                epoch_key, step_key = jax.random.split(epoch_key)
                keys = jax.random.split(step_key, jax.local_device_count())
                state, metrics = self.step(state, batch, keys)
            for hook in self.on_epoch_end:
                hook(epoch, state, metrics)
        return state
