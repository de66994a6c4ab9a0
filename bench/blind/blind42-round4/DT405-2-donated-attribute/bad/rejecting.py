"""Training that throws away an update with a bad loss."""
from functools import partial

import jax
import jax.numpy as jnp
import numpy as np
import optax

tx = optax.adam(1e-2)


@partial(jax.jit, donate_argnums=(0, 1))
def propose(params, opt_state, x, y):
    def loss_fn(p):
        return jnp.mean((jnp.tanh(x @ p["a"]) @ p["b"] - y) ** 2)

    loss, grads = jax.value_and_grad(loss_fn)(params)
    updates, opt_state = tx.update(grads, opt_state)
    return optax.apply_updates(params, updates), opt_state, loss


class Trainer:
    def __init__(self, seed=0):
        ka, kb = jax.random.split(jax.random.key(seed))
        self.params = {"a": jax.random.normal(ka, (16, 64)) * 0.3, "b": jax.random.normal(kb, (64,)) * 0.1}
        self.opt_state = tx.init(self.params)
        self.last = float("inf")

    def step(self, x, y):
        params, opt_state, loss = propose(self.params, self.opt_state, x, y)
        loss = float(loss)
        if loss < 2 * self.last:
            self.params, self.opt_state = params, opt_state
            self.last = loss
        return loss


def main(steps=200):
    trainer = Trainer()
    rng = np.random.default_rng(0)
    for _ in range(steps):
        x = rng.normal(size=(64, 16)).astype(np.float32)
        loss = trainer.step(x, np.sin(x).sum(1))
    print(loss)


if __name__ == "__main__":
    main()
