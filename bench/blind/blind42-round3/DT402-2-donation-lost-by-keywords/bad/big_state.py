"""Large-state training where donation matters."""
from functools import partial

import jax
import jax.numpy as jnp
import numpy as np
import optax
from flax import jax_utils
from flax.training.train_state import TrainState


def apply_fn(params, x):
    for w in params["layers"]:
        x = jax.nn.relu(x @ w)
    return x @ params["head"]


@partial(jax.pmap, axis_name="batch", donate_argnums=(0,))
def train_step(state, batch):
    def loss_fn(params):
        return jnp.mean((state.apply_fn(params, batch["x"])[:, 0] - batch["y"]) ** 2)

    loss, grads = jax.value_and_grad(loss_fn)(state.params)
    return state.apply_gradients(grads=jax.lax.pmean(grads, "batch")), jax.lax.pmean(loss, "batch")


def init(key, width=2048, depth=6):
    keys = jax.random.split(key, depth + 1)
    layers = [jax.random.normal(k, (width, width)) / width**0.5 for k in keys[1:]]
    return {"layers": layers, "head": jax.random.normal(keys[0], (width, 1)) * 0.01}


def main(steps=50):
    state = TrainState.create(apply_fn=apply_fn, params=init(jax.random.key(0)), tx=optax.adam(1e-4))
    state = jax_utils.replicate(state)
    n = jax.local_device_count()
    rng = np.random.default_rng(0)
    for _ in range(steps):
        x = rng.normal(size=(n, 8, 2048)).astype(np.float32)
        state, loss = train_step(state=state, batch={"x": x, "y": x.mean(-1)})
    print(float(loss[0]))


if __name__ == "__main__":
    main()
