import jax
import jax.numpy as jnp
import numpy as np
from flax import jax_utils

from state import build


def train_step(state, x, y):
    loss, grads = jax.value_and_grad(lambda p: jnp.mean((state.apply_fn(p, x) - y) ** 2))(state.params)
    grads, loss = jax.lax.pmean((grads, loss), "r")
    return state.apply_gradients(grads=grads), loss


def main(steps=40):
    state = build(0, 1e-3)
    p_step = jax.pmap(train_step, axis_name="r", donate_argnums=0)
    n = jax.local_device_count()
    rng = np.random.default_rng(0)
    for _ in range(steps):
        x = rng.normal(size=(n, 16, 7)).astype(np.float32)
        state, loss = p_step(state, x, x.sum(-1))
    print(float(loss[0]), int(jax_utils.unreplicate(state.step)))


if __name__ == "__main__":
    main()
