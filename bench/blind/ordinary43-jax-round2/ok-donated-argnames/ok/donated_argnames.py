"""donate_argnames, AOT lower/compile, EMA copy kept on the host, best weights copied."""
from functools import partial

import jax
import jax.numpy as jnp
import numpy as np


@partial(jax.jit, donate_argnames=("params", "momentum"), static_argnames=("lr",))
def step(params, momentum, batch, *, lr=0.1):
    def loss_fn(p):
        return jnp.mean((batch @ p["w"] + p["b"] - 1.0) ** 2)

    loss, grads = jax.value_and_grad(loss_fn)(params)
    momentum = jax.tree.map(lambda m, g: 0.9 * m + g, momentum, grads)
    params = jax.tree.map(lambda p, m: p - lr * m, params, momentum)
    return params, momentum, loss


def main():
    params = {"w": jnp.zeros((3,)), "b": jnp.zeros(())}
    momentum = jax.tree.map(jnp.zeros_like, params)
    rng = np.random.default_rng(0)
    batch = rng.normal(size=(16, 3)).astype(np.float32)
    flops = step.lower(params, momentum, batch, lr=0.1).compile().cost_analysis()
    ema = jax.tree.map(np.array, params)
    best, best_loss = None, float("inf")
    for _ in range(20):
        params, momentum, loss = step(params, momentum, rng.normal(size=(16, 3)).astype(np.float32), lr=0.1)
        ema = jax.tree.map(lambda e, p: 0.99 * e + 0.01 * np.asarray(p), ema, params)
        if float(loss) < best_loss:
            best, best_loss = jax.tree.map(jnp.copy, params), float(loss)
    print(best_loss, best["w"], ema["b"], bool(flops))


if __name__ == "__main__":
    main()
