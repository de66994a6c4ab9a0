import pickle
from pathlib import Path

import jax
import jax.numpy as jnp
import numpy as np
import optax
from flax import jax_utils
from flax.training.train_state import TrainState

CKPT = Path("state.pkl")


def apply_fn(params, x):
    return jnp.tanh(x @ params["a"]) @ params["b"]


def fresh_state(key):
    k1, k2 = jax.random.split(key)
    params = {"a": 0.2 * jax.random.normal(k1, (6, 20)), "b": 0.2 * jax.random.normal(k2, (20, 1))}
    return TrainState.create(apply_fn=apply_fn, params=params, tx=optax.adam(1e-3))


def resume(state):
    params, step = pickle.loads(CKPT.read_bytes())
    state = state.replace(params=params, step=step)
    return jax_utils.replicate(state)


def save(state):
    host = jax_utils.unreplicate(state)
    CKPT.write_bytes(pickle.dumps((jax.device_get(host.params), int(host.step))))


def train_step(state, x, y):
    def loss_fn(p):
        return jnp.mean((state.apply_fn(p, x)[..., 0] - y) ** 2)

    loss, grads = jax.value_and_grad(loss_fn)(state.params)
    return state.apply_gradients(grads=jax.lax.pmean(grads, "dp")), jax.lax.pmean(loss, "dp")


def main(steps=40):
    state = fresh_state(jax.random.PRNGKey(0))
    if CKPT.exists():
        state = resume(state)
    state = jax_utils.replicate(state)
    p_step = jax.pmap(train_step, axis_name="dp")
    n = jax.local_device_count()
    rng = np.random.default_rng(0)
    for _ in range(steps):
        x = rng.normal(size=(n, 8, 6)).astype(np.float32)
        state, loss = p_step(state, x, x[..., 0] * x[..., 1])
    save(state)
    print(float(loss[0]))


if __name__ == "__main__":
    main()
