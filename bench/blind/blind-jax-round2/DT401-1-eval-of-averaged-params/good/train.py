import functools

import flax.linen as nn
import jax
import jax.numpy as jnp
import numpy as np
import optax
from flax import jax_utils
from flax.training.train_state import TrainState

from averaging import HostAverage


class Scorer(nn.Module):
    @nn.compact
    def __call__(self, x):
        return nn.Dense(1)(nn.relu(nn.Dense(48)(x)))[..., 0]


net = Scorer()


def loss_of(params, x, y):
    return jnp.mean((net.apply({"params": params}, x) - y) ** 2)


@functools.partial(jax.pmap, axis_name="batch", donate_argnums=(0,))
def train_step(state, x, y):
    loss, grads = jax.value_and_grad(loss_of)(state.params, x, y)
    return state.apply_gradients(grads=jax.lax.pmean(grads, "batch")), jax.lax.pmean(loss, "batch")


@functools.partial(jax.pmap, axis_name="batch", in_axes=(None, 0, 0))
def eval_step(params, x, y):
    return jax.lax.pmean(loss_of(params, x, y), "batch")


def batches(seed, count):
    rng = np.random.default_rng(seed)
    for _ in range(count):
        x = rng.normal(size=(jax.local_device_count(), 16, 6)).astype(np.float32)
        yield x, np.abs(x).sum(-1)


def main(epochs=3):
    params = net.init(jax.random.PRNGKey(0), jnp.zeros((1, 6)))["params"]
    average = HostAverage(params, 0.9)
    state = jax_utils.replicate(TrainState.create(apply_fn=net.apply, params=params, tx=optax.adam(1e-3)))
    for epoch in range(epochs):
        for x, y in batches(epoch, 10):
            state, loss = train_step(state, x, y)
            average.update(jax_utils.unreplicate(state.params))
        scores = [eval_step(average.value, x, y)[0] for x, y in batches(1000, 2)]
        print(epoch, float(loss[0]), float(np.mean(scores)))


if __name__ == "__main__":
    main()
