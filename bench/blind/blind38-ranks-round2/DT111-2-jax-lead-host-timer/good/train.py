import dataclasses

import jax
import jax.numpy as jnp
import numpy as np
import optax
from flax import linen as nn
from flax.training import train_state
from jax.experimental import multihost_utils


@dataclasses.dataclass
class Chrono:
    """Examples per second, and whether it is time for a long report."""

    every: int = 500
    examples: int = 0
    ticks: int = 0

    def tick(self, examples):
        self.examples += examples
        self.ticks += 1

    @property
    def due(self):
        return self.ticks > 0 and self.ticks % self.every == 0


class Mixer(nn.Module):
    width: int = 96

    @nn.compact
    def __call__(self, x):
        x = x + nn.Dense(x.shape[-1])(nn.gelu(nn.Dense(self.width)(nn.LayerNorm()(x))))
        return nn.Dense(1)(x)[..., 0]


def create_state(key):
    model = Mixer()
    params = model.init(key, jnp.zeros((1, 20)))["params"]
    return train_state.TrainState.create(apply_fn=model.apply, params=params, tx=optax.adam(1e-3))


def step(state, x, y):
    def loss_fn(params):
        return jnp.mean((state.apply_fn({"params": params}, x) - y) ** 2)

    loss, grads = jax.value_and_grad(loss_fn)(state.params)
    grads = jax.lax.pmean(grads, "batch")
    return state.apply_gradients(grads=grads), jax.lax.pmean(loss, "batch")


def main():
    jax.distributed.initialize()
    devices = jax.local_device_count()
    state = jax.device_put_replicated(create_state(jax.random.key(0)), jax.local_devices())
    p_step = jax.pmap(step, axis_name="batch")
    chrono = Chrono()
    rng = np.random.default_rng(1 + jax.process_index())
    seen = np.zeros(20)
    for number in range(20_000):
        x = rng.normal(size=(devices, 16, 20)).astype(np.float32)
        state, loss = p_step(state, x, np.sin(x).sum(-1))
        seen += x.sum(axis=(0, 1))
        chrono.tick(x.shape[0] * x.shape[1])
        if jax.process_index() == 0 and number % 100 == 0:
            print(number, float(loss[0]), chrono.examples)
        if chrono.due:
            sums = multihost_utils.process_allgather(seen)
            if jax.process_index() == 0:
                print("drift of the inputs", np.abs(sums.mean(0)).max())


if __name__ == "__main__":
    main()
