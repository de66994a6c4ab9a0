import jax
import numpy as np
import optax
from flax import linen as nn

import steps


class Probe(nn.Module):
    @nn.compact
    def __call__(self, x):
        return nn.Dense(1)(nn.relu(nn.Dense(24)(x)))[..., 0]


def batches(count, each):
    rng = np.random.default_rng(5)
    for _ in range(count):
        x = rng.normal(size=(jax.local_device_count(), each, 7)).astype(np.float32)
        yield {"x": x, "y": (x.sum(-1) > 0).astype(np.float32)}


def main():
    probe, tx = Probe(), optax.adamw(2e-3)
    params = probe.init(jax.random.PRNGKey(0), np.zeros((1, 7), np.float32))
    opt_state = tx.init(params)
    step = steps.build(probe.apply, tx)
    for batch in batches(15, 8):
        params, opt_state, metrics = step(params, opt_state, batch)
    print({name: float(value) for name, value in metrics.items()})


if __name__ == "__main__":
    main()
