from __future__ import annotations

from functools import partial
from typing import TypedDict

import jax
import jax.numpy as jnp
import numpy as np
import optax


class Record(TypedDict):
    step: int
    loss: float
    moved: float


def loss_fn(params, x, y):
    return jnp.mean((jnp.sin(x @ params["freq"]) @ params["amp"] - y) ** 2)


class Runner:
    def __init__(self, tx):
        self.tx = tx

    @partial(jax.jit, static_argnums=0, donate_argnums=(1, 2))
    def step(self, params, opt_state, x, y):
        loss, grads = jax.value_and_grad(loss_fn)(params, x, y)
        updates, opt_state = self.tx.update(grads, opt_state, params)
        moved = optax.global_norm(updates)
        return optax.apply_updates(params, updates), opt_state, loss, moved

    def fit(self, params, opt_state, batches) -> list[Record]:
        log: list[Record] = []
        for i, (x, y) in enumerate(batches):
            params, opt_state, loss, moved = self.step(params, opt_state, x, y)
            log.append({"step": i, "loss": float(loss), "moved": float(moved)})
        return log


def synthetic(steps, n=128, seed=0):
    rng = np.random.default_rng(seed)
    for _ in range(steps):
        x = rng.uniform(-2, 2, size=(n, 1)).astype(np.float32)
        yield x, np.sin(3 * x[:, 0])


def main():
    k_f, k_a = jax.random.split(jax.random.key(0))
    params = {"freq": jax.random.normal(k_f, (1, 64)), "amp": 0.1 * jax.random.normal(k_a, (64,))}
    runner = Runner(optax.adam(1e-2))
    log = runner.fit(params, runner.tx.init(params), synthetic(50))
    print(log[-1])


if __name__ == "__main__":
    main()
