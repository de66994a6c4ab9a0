from dataclasses import dataclass
from functools import partial
from typing import Any

import jax
import jax.numpy as jnp
import numpy as np
from flax import jax_utils

from strategies import Clipped, Strategy


@dataclass
class Trainer:
    strategy: Strategy
    lr: float = 0.05
    axis: str = "replicas"

    def __post_init__(self):
        self.step = jax.pmap(self._step, axis_name=self.axis)

    def _step(self, params: Any, x, y):
        grads = jax.grad(lambda p: jnp.mean((x @ p["w"] + p["b"] - y) ** 2))(params)
        grads = self.strategy(grads, self.axis)
        return jax.tree.map(lambda p, g: p - self.lr * g, params, grads)


def main():
    trainer = Trainer(Clipped(1.0))
    params = jax_utils.replicate({"w": jnp.zeros(3), "b": jnp.zeros(())})
    rng = np.random.default_rng(0)
    for _ in range(100):
        x = rng.normal(size=(jax.local_device_count(), 16, 3)).astype("f4")
        params = trainer.step(params, x, x.sum(-1))
    print(jax_utils.unreplicate(params))


if __name__ == "__main__":
    main()
