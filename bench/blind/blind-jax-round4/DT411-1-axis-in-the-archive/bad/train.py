import functools

import flax.linen as nn
import jax
import jax.numpy as jnp
import numpy as np
import optax
from flax import jax_utils
from flax.training.train_state import TrainState

import archive


class Net(nn.Module):
    @nn.compact
    def __call__(self, x):
        return nn.Dense(1)(nn.relu(nn.Dense(32)(x)))[..., 0]


@functools.partial(jax.pmap, axis_name="batch", donate_argnums=(0,))
def train_step(state, x):
    def loss_fn(p):
        return jnp.mean((state.apply_fn({"params": p}, x) - x.sum(-1)) ** 2)

    loss, grads = jax.value_and_grad(loss_fn)(state.params)
    loss, grads = jax.lax.pmean((loss, grads), "batch")
    return state.apply_gradients(grads=grads), loss


def main(steps=20):
    net = Net()
    fresh = net.init(jax.random.PRNGKey(0), jnp.zeros((1, 4)))["params"]
    state = jax_utils.replicate(TrainState.create(apply_fn=net.apply, params=fresh, tx=optax.adam(1e-3)))
    rng = np.random.default_rng(0)
    for _ in range(steps):
        state, loss = train_step(state, rng.normal(size=(jax.local_device_count(), 8, 4)).astype(np.float32))
    archive.save("net.npz", state.params)
    params = archive.load("net.npz", fresh)
    x = rng.normal(size=(64, 4)).astype(np.float32)
    print("loss", float(loss[0]), "again", float(jnp.mean((net.apply({"params": params}, x) - x.sum(-1)) ** 2)))


if __name__ == "__main__":
    main()
