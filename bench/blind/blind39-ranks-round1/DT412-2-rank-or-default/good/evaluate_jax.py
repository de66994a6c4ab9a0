import dataclasses
import os

import jax
import jax.numpy as jnp
import numpy as np
import optax
from flax import linen as nn


@dataclasses.dataclass
class ShardSpec:
    """Which part of the records this process reads; the process' own index by default."""

    index: int | None = None
    count: int | None = None

    def resolve(self):
        index = jax.process_index() if self.index is None else self.index
        count = jax.process_count() if self.count is None else self.count
        return index, count


class Net(nn.Module):
    width: int = 64

    @nn.compact
    def __call__(self, x):
        x = nn.relu(nn.Dense(self.width)(x))
        return nn.Dense(10)(x)


def records(spec, n=1000):
    index, count = spec.resolve()
    rng = np.random.default_rng(0)
    x = rng.normal(size=(n, 20)).astype(np.float32)
    y = rng.integers(0, 10, size=n)
    return x[index::count], y[index::count]


@jax.jit
def loss_fn(params, x, y):
    logits = Net().apply({"params": params}, x)
    return optax.softmax_cross_entropy_with_integer_labels(logits, y).mean()


def main():
    if "COORDINATOR" in os.environ:
        jax.distributed.initialize()
    params = Net().init(jax.random.PRNGKey(0), jnp.zeros((1, 20)))["params"]
    shards = [records(ShardSpec(index=i, count=4)) for i in range(4)]
    losses = [float(loss_fn(params, x, y)) for x, y in shards]
    if jax.process_index() == 0:
        print("per shard", [f"{value:.3f}" for value in losses])


if __name__ == "__main__":
    main()
