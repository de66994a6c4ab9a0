from functools import partial

import jax
import jax.numpy as jnp
import numpy as np

from history import History


@partial(jax.jit, donate_argnums=0)
def step(state, x):
    grad = jax.grad(lambda w: jnp.mean((x @ w) ** 2))(state["w"])
    return {"w": state["w"] - 0.1 * grad, "t": state["t"] + 1}


def main():
    state = {"w": jnp.ones(4), "t": jnp.zeros((), jnp.int32)}
    history = History()
    rng = np.random.default_rng(0)
    for _ in range(10):
        history.push(state)
        state = step(state, jnp.asarray(rng.normal(size=(8, 4)), jnp.float32))
    print(history.spread(), int(state["t"]))


if __name__ == "__main__":
    main()
