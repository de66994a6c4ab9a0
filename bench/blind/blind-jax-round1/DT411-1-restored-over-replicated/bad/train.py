import argparse
import functools

import flax.linen as nn
import jax
import jax.numpy as jnp
import numpy as np
import optax
from flax import jax_utils
from flax.training.train_state import TrainState

from ckpt import FileCheckpoint


class Net(nn.Module):
    @nn.compact
    def __call__(self, x):
        return nn.Dense(1)(nn.tanh(nn.Dense(32)(x)))[..., 0]


@functools.partial(jax.pmap, axis_name="b")
def train_step(state, x, y):
    def loss_fn(p):
        return jnp.mean((state.apply_fn({"params": p}, x) - y) ** 2)

    loss, grads = jax.value_and_grad(loss_fn)(state.params)
    loss, grads = jax.lax.pmean((loss, grads), "b")
    return state.apply_gradients(grads=grads), loss


def fresh_state(seed):
    net = Net()
    params = net.init(jax.random.PRNGKey(seed), jnp.zeros((1, 5)))["params"]
    return TrainState.create(apply_fn=net.apply, params=params, tx=optax.adam(1e-3))


def main():
    ap = argparse.ArgumentParser()
    ap.add_argument("--ckpt", default="net.msgpack")
    ap.add_argument("--steps", type=int, default=20)
    ap.add_argument("--save-every", type=int, default=10)
    args = ap.parse_args()

    store = FileCheckpoint(args.ckpt)
    state = jax_utils.replicate(fresh_state(0))
    if store.exists():
        state = store.load(jax_utils.unreplicate(state))
    n = jax.local_device_count()
    rng = np.random.default_rng(0)
    for i in range(args.steps):
        x = rng.normal(size=(n, 8, 5)).astype(np.float32)
        state, loss = train_step(state, x, x.mean(-1))
        if (i + 1) % args.save_every == 0:
            store.save(jax_utils.unreplicate(state))
    print("loss", float(loss[0]))


if __name__ == "__main__":
    main()
