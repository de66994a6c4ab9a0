import functools
from typing import NamedTuple

import jax
import jax.numpy as jnp
import numpy as np
import optax
from flax import jax_utils


class State(NamedTuple):
    params: dict
    opt: tuple
    step: jax.Array


tx = optax.sgd(0.05, momentum=0.9)


@functools.partial(jax.pmap, axis_name="x", donate_argnums=(0,))
def advance(state, batch):
    def loss_fn(p):
        return jnp.mean((batch["x"] @ p["w"] - batch["y"]) ** 2)

    grads = jax.lax.pmean(jax.grad(loss_fn)(state.params), "x")
    up, opt = tx.update(grads, state.opt)
    return State(optax.apply_updates(state.params, up), opt, state.step + 1)


def moved(before, after):
    return jnp.sqrt(sum(jnp.sum((a - b) ** 2) for a, b in zip(jax.tree.leaves(before), jax.tree.leaves(after))))


def main(steps=50):
    n = jax.local_device_count()
    params = {"w": jnp.zeros(5)}
    state = jax_utils.replicate(State(params, tx.init(params), jnp.zeros((), jnp.int32)))
    rng = np.random.default_rng(0)
    for i in range(steps):
        x = rng.normal(size=(n, 16, 5)).astype(np.float32)
        before = jax.tree.map(jnp.copy, state.params)
        state = advance(state, {"x": x, "y": x.sum(-1)})
        if i % 10 == 0:
            print(i, float(moved(before, state.params)))


if __name__ == "__main__":
    main()
