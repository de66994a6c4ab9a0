import functools

import jax
import jax.numpy as jnp
import numpy as np
import optax
from flax.training.train_state import TrainState
from jax.sharding import NamedSharding, PartitionSpec as P

from monitor import UpdateMonitor


def net(params, x):
    return jax.nn.swish(x @ params["w0"]) @ params["w1"]


@functools.partial(jax.jit, donate_argnames=("state",))
def train_step(state, x, y):
    def loss_fn(params):
        return jnp.mean((state.apply_fn(params, x) - y) ** 2)

    loss, grads = jax.value_and_grad(loss_fn)(state.params)
    return state.apply_gradients(grads=grads), loss


def create_state(key, tx):
    k0, k1 = jax.random.split(key)
    params = {"w0": 0.2 * jax.random.normal(k0, (12, 80)), "w1": 0.1 * jax.random.normal(k1, (80, 3))}
    return TrainState.create(apply_fn=net, params=params, tx=tx)


def main(steps=300, batch=256):
    mesh = jax.make_mesh((jax.device_count(),), ("data",))
    state = jax.device_put(create_state(jax.random.key(6), optax.rmsprop(1e-3)), NamedSharding(mesh, P()))
    monitor = UpdateMonitor(every=50)
    rng = np.random.default_rng(6)
    for step in range(steps):
        x = rng.normal(size=(batch, 12)).astype(np.float32)
        x, y = jax.device_put((x, x[:, :3] * x[:, 3:6]), NamedSharding(mesh, P("data")))
        before = jax.tree.map(jnp.copy, state.params) if monitor.wants(step) else None
        state, loss = train_step(state, x, y)
        if before is not None:
            monitor.record(step, before, state.params, loss)
    return state


if __name__ == "__main__":
    main()
