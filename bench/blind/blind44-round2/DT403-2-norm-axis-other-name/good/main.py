from functools import partial

import jax
import numpy as np
import optax
from flax import jax_utils

from nets import mlp


@partial(jax.pmap, axis_name="data")
def train(layers, x, y):
    def loss_fn(layers):
        return optax.softmax_cross_entropy_with_integer_labels(mlp.apply(layers, x), y).mean()

    grads = jax.lax.pmean(jax.grad(loss_fn)(layers), "data")
    return jax.tree.map(lambda p, g: p - 0.1 * g, layers, grads)


def main(steps=10):
    layers = jax_utils.replicate(mlp.init(jax.random.key(0)))
    rng = np.random.default_rng(0)
    n = jax.local_device_count()
    for _ in range(steps):
        x = rng.normal(size=(n, 16, 6)).astype(np.float32)
        layers = train(layers, x, (x.sum(-1) > 0).astype(np.int32))
    return jax_utils.unreplicate(layers)


if __name__ == "__main__":
    main()
