"""Continual fine-tuning that reports how far each step moved the weights."""
import dataclasses
from functools import partial

import jax
import jax.numpy as jnp
import numpy as np
import optax
from jax.sharding import Mesh, NamedSharding, PartitionSpec as P


@dataclasses.dataclass(frozen=True)
class Settings:
    batch: int = 128
    tasks: int = 3
    steps: int = 100
    report: int = 25


def forward(params, x):
    return jnp.tanh(x @ params["w"] + params["b"]) @ params["v"]


class Tuner:
    def __init__(self, settings, mesh):
        self.settings = settings
        self.rows = NamedSharding(mesh, P("data"))
        self.whole = NamedSharding(mesh, P())
        self.tx = optax.adam(1e-3)
        self.step = jax.jit(self._step, donate_argnums=(0, 1))

    def fresh(self, key):
        kw, kv = jax.random.split(key)
        params = {
            "w": jax.random.normal(kw, (12, 48)) * 0.2,
            "b": jnp.zeros(48),
            "v": jax.random.normal(kv, (48,)) * 0.1,
        }
        return jax.device_put((params, self.tx.init(params)), self.whole)

    def _step(self, params, opt_state, x, y):
        loss, grads = jax.value_and_grad(lambda p: jnp.mean((forward(p, x) - y) ** 2))(params)
        updates, opt_state = self.tx.update(grads, opt_state)
        return optax.apply_updates(params, updates), opt_state, loss

    @partial(jax.jit, static_argnums=0)
    def distance(self, old, new):
        return optax.global_norm(jax.tree.map(jnp.subtract, new, old))

    def run_task(self, params, opt_state, task):
        draw = np.random.default_rng(task)
        direction = draw.normal(size=12).astype(np.float32)
        for i in range(self.settings.steps):
            x = draw.normal(size=(self.settings.batch, 12)).astype(np.float32)
            x, y = jax.device_put((x, np.cos(x @ direction)), self.rows)
            report = i % self.settings.report == 0
            before = jax.tree.map(jnp.copy, params) if report else None
            params, opt_state, loss = self.step(params, opt_state, x, y)
            if report:
                print(task, i, float(loss), float(self.distance(before, params)))
        return params, opt_state


def main():
    settings = Settings()
    mesh = Mesh(np.asarray(jax.devices()), ("data",))
    tuner = Tuner(settings, mesh)
    params, opt_state = tuner.fresh(jax.random.key(0))
    for task in range(settings.tasks):
        params, opt_state = tuner.run_task(params, opt_state, task)


if __name__ == "__main__":
    main()
