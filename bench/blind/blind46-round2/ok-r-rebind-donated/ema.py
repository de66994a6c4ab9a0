from functools import partial

import jax
import jax.numpy as jnp
import numpy as np
import optax

tx = optax.adam(1e-2)


@partial(jax.jit, donate_argnums=(0,))
def step(state, x, y):
    def loss_fn(p):
        return jnp.mean((x @ p["w"] - y) ** 2)

    loss, grads = jax.value_and_grad(loss_fn)(state["params"])
    updates, opt = tx.update(grads, state["opt"])
    params = optax.apply_updates(state["params"], updates)
    ema = jax.tree.map(lambda e, p: 0.99 * e + 0.01 * p, state["ema"], params)
    return {"params": params, "opt": opt, "ema": ema}, loss


def main(steps=30):
    w = {"w": jnp.zeros((4,))}
    state = {"params": w, "opt": tx.init(w), "ema": jax.tree.map(jnp.array, w)}
    start = jax.device_get(state["params"])
    state = jax.tree.map(jnp.array, state)
    rng = np.random.default_rng(0)
    for _ in range(steps):
        x = rng.normal(size=(32, 4)).astype(np.float32)
        state, loss = step(state, x, x.sum(1))
    moved = np.abs(np.asarray(state["params"]["w"]) - start["w"]).max()
    print(float(loss), moved)


if __name__ == "__main__":
    main()
