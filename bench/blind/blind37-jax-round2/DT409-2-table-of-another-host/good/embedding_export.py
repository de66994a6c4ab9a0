"""Trains a sharded embedding table and writes it at the end."""
import dataclasses
import functools

import jax
import jax.numpy as jnp
import numpy as np
import optax
from jax.experimental import multihost_utils
from jax.sharding import Mesh, NamedSharding, PartitionSpec as P


@dataclasses.dataclass
class Config:
    items: int = 1_000_000
    width: int = 32
    batch: int = 16_384
    steps: int = 1_000
    out: str = "items.npy"


class Table:
    def __init__(self, config, mesh):
        self.config = config
        self.by_row = NamedSharding(mesh, P("x", None))
        self.by_pair = NamedSharding(mesh, P("x"))
        self.tx = optax.adagrad(0.1)

    def fresh(self, key):
        shape = (self.config.items, self.config.width)
        make = jax.jit(lambda k: 0.01 * jax.random.normal(k, shape), out_shardings=self.by_row)
        table = make(key)
        return table, jax.jit(self.tx.init)(table)

    @functools.partial(jax.jit, static_argnums=0, donate_argnums=(1, 2))
    def step(self, table, opt_state, left, right):
        def loss_fn(t):
            return -jax.nn.log_sigmoid((t[left] * t[right]).sum(-1)).mean() + 1e-4 * (t[left] ** 2).mean()

        loss, grads = jax.value_and_grad(loss_fn)(table)
        updates, opt_state = self.tx.update(grads, opt_state)
        return optax.apply_updates(table, updates), opt_state, loss

    def pairs(self, draw):
        pair = draw.integers(0, self.config.items, (2, self.config.batch // jax.process_count()))
        return [jax.make_array_from_process_local_data(self.by_pair, side) for side in pair]


def main(config=Config()):
    jax.distributed.initialize()
    model = Table(config, Mesh(np.asarray(jax.devices()), ("x",)))
    table, opt_state = model.fresh(jax.random.key(0))
    draw = np.random.default_rng((1, jax.process_index()))
    for i in range(config.steps):
        table, opt_state, loss = model.step(table, opt_state, *model.pairs(draw))
        if i % 100 == 0 and jax.process_index() == 0:
            print(i, float(loss))
    whole = multihost_utils.process_allgather(table, tiled=True)
    if jax.process_index() == 0:
        np.save(config.out, whole)


if __name__ == "__main__":
    main()
