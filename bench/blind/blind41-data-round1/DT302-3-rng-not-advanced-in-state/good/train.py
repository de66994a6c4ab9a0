from typing import Any

import jax
import jax.numpy as jnp
import numpy as np
import optax
from flax import jax_utils
from flax.training import train_state


class State(train_state.TrainState):
    rng: Any


def apply_fn(params, x):
    return jnp.tanh(x @ params["w"]) @ params["v"]


def train_step(state, x):
    rng, next_rng = jax.random.split(state.rng)
    rng = jax.random.fold_in(rng, jax.lax.axis_index("dev"))
    noise = 0.1 * jax.random.normal(rng, x.shape)

    def loss_fn(params):
        return jnp.mean((state.apply_fn(params, x + noise) - x) ** 2)

    loss, grads = jax.value_and_grad(loss_fn)(state.params)
    grads, loss = jax.lax.pmean((grads, loss), "dev")
    return state.apply_gradients(grads=grads, rng=next_rng), loss


def main(steps=400):
    a, b, rng = jax.random.split(jax.random.PRNGKey(0), 3)
    params = {"w": jax.random.normal(a, (8, 32)) / 3, "v": jax.random.normal(b, (32, 8)) / 6}
    state = State.create(apply_fn=apply_fn, params=params, tx=optax.adam(1e-3), rng=rng)
    state = jax_utils.replicate(state)
    p_step = jax.pmap(train_step, axis_name="dev", donate_argnums=0)
    data = np.random.default_rng(0)
    n = jax.local_device_count()
    for _ in range(steps):
        state, loss = p_step(state, data.normal(size=(n, 32, 8)).astype(np.float32))
    print(float(loss[0]))


if __name__ == "__main__":
    main()
