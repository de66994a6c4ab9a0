import functools

import jax
import jax.numpy as jnp
import numpy as np


@functools.partial(jax.jit, donate_argnums=(0,))
def update(params, x, y):
    grads = jax.grad(lambda p: jnp.mean((x @ p["w"] + p["b"] - y) ** 2))(params)
    return jax.tree.map(lambda p, g: p - 0.05 * g, params, grads)


class Averaged:
    def __init__(self, params, decay=0.99):
        self.decay = decay
        self.params = jax.tree.map(jnp.copy, params)

    def add(self, params):
        self.params = jax.tree.map(lambda a, p: self.decay * a + (1 - self.decay) * p, self.params, params)


class Trainer:
    def __init__(self, dim=6):
        self.params = {"w": jnp.zeros((dim,)), "b": jnp.zeros(())}
        self.average = Averaged(self.params)

    def step(self, x, y):
        self.params = update(self.params, x, y)
        self.average.add(self.params)


def main(steps=100):
    trainer = Trainer()
    rng = np.random.default_rng(0)
    for _ in range(steps):
        x = rng.normal(size=(32, 6)).astype(np.float32)
        trainer.step(x, x.sum(-1))
    print(trainer.average.params["w"])


if __name__ == "__main__":
    main()
