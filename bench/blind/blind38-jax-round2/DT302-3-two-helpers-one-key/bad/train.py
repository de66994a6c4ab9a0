import functools

import flax.linen as nn
import jax
import jax.numpy as jnp
import numpy as np
import optax
from flax import jax_utils
from flax.training import common_utils
from flax.training.train_state import TrainState

from mix import mixup


class Net(nn.Module):
    @nn.compact
    def __call__(self, x):
        for width in (16, 32):
            x = nn.relu(nn.Conv(width, (3, 3), strides=2)(x))
        return nn.Dense(10)(x.reshape(x.shape[0], -1))


@functools.partial(jax.pmap, axis_name="batch")
def step(state, images, labels, rng):
    rng, sub = jax.random.split(rng)
    images, first, second, lam = mixup(sub, images, labels)

    def loss_fn(params):
        logits = state.apply_fn({"params": params}, images)
        cross = optax.softmax_cross_entropy_with_integer_labels
        return jnp.mean(lam * cross(logits, first) + (1 - lam) * cross(logits, second))

    loss, grads = jax.value_and_grad(loss_fn)(state.params)
    grads = jax.lax.pmean(grads, "batch")
    return state.apply_gradients(grads=grads), jax.lax.pmean(loss, "batch"), rng


def main(steps=40, batch=64):
    init, train = jax.random.split(jax.random.key(3))
    net = Net()
    params = net.init(init, jnp.zeros((1, 16, 16, 3)))["params"]
    state = jax_utils.replicate(TrainState.create(apply_fn=net.apply, params=params, tx=optax.adam(1e-3)))
    rngs = common_utils.shard_prng_key(train)
    data = np.random.default_rng(0)
    for i in range(steps):
        images = data.random((batch, 16, 16, 3), dtype=np.float32)
        labels = data.integers(0, 10, batch)
        state, loss, rngs = step(state, common_utils.shard(images), common_utils.shard(labels), rngs)
        if i % 10 == 0:
            print(i, float(loss[0]))


if __name__ == "__main__":
    main()
