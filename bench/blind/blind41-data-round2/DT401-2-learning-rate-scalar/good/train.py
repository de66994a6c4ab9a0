from dataclasses import dataclass

import jax
import jax.numpy as jnp
import numpy as np
from flax import jax_utils


@dataclass
class Config:
    lr: float = 0.05
    steps: int = 100
    width: int = 16


def sgd_step(params, x, y, lr):
    loss, grads = jax.value_and_grad(lambda p: jnp.mean((jnp.tanh(x @ p["w"]) @ p["v"] - y) ** 2))(params)
    grads = jax.lax.pmean(grads, "rep")
    return jax.tree.map(lambda p, g: p - lr * g, params, grads), jax.lax.pmean(loss, "rep")


class Experiment:
    def __init__(self, cfg):
        self.cfg = cfg
        self.step = jax.pmap(sgd_step, axis_name="rep", in_axes=(0, 0, 0, None), donate_argnums=0)
        a, b = jax.random.split(jax.random.PRNGKey(0))
        params = {"w": jax.random.normal(a, (9, cfg.width)) / 3, "v": jax.random.normal(b, (cfg.width,)) / 4}
        self.params = jax_utils.replicate(params)

    def run(self):
        n = jax.local_device_count()
        rng = np.random.default_rng(0)
        for _ in range(self.cfg.steps):
            x = rng.normal(size=(n, 32, 9)).astype(np.float32)
            self.params, loss = self.step(self.params, x, x[..., 0], self.cfg.lr)
        return float(loss[0])


if __name__ == "__main__":
    print(Experiment(Config()).run())
