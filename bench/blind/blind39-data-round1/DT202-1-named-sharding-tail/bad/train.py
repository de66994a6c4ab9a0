from dataclasses import dataclass

import jax
import jax.numpy as jnp
import numpy as np
import optax
from flax import linen as nn
from jax.sharding import Mesh, NamedSharding, PartitionSpec as P


@dataclass
class Config:
    epochs: int = 3
    batch_size: int = 128
    rows: int = 2050
    features: int = 32
    lr: float = 1e-3
    seed: int = 0


class MLP(nn.Module):
    hidden: int = 128

    @nn.compact
    def __call__(self, x):
        x = nn.gelu(nn.Dense(self.hidden)(x))
        return nn.Dense(1)(x)[..., 0]


class ArrayBatches:
    def __init__(self, x, y, batch_size, seed):
        self.x, self.y = x, y
        self.batch_size = batch_size
        self.rng = np.random.default_rng(seed)

    def __iter__(self):
        order = self.rng.permutation(len(self.x))
        end = len(order)
        for start in range(0, end, self.batch_size):
            rows = order[start : start + self.batch_size]
            yield self.x[rows], self.y[rows]


def synthetic(cfg):
    rng = np.random.default_rng(11)
    x = rng.standard_normal((cfg.rows, cfg.features), dtype=np.float32)
    return x, x[:, :3].sum(axis=1)


def main():
    cfg = Config()
    mesh = Mesh(np.array(jax.devices()), ("data",))
    by_row = NamedSharding(mesh, P("data"))
    everywhere = NamedSharding(mesh, P())

    x, y = synthetic(cfg)
    model = MLP()
    tx = optax.adam(cfg.lr)
    params = model.init(jax.random.PRNGKey(cfg.seed), jnp.zeros((1, cfg.features)))
    params = jax.device_put(params, everywhere)
    opt_state = jax.device_put(tx.init(params), everywhere)

    @jax.jit
    def step(params, opt_state, xb, yb):
        def loss_fn(p):
            return jnp.mean((model.apply(p, xb) - yb) ** 2)

        loss, grads = jax.value_and_grad(loss_fn)(params)
        updates, opt_state = tx.update(grads, opt_state, params)
        return optax.apply_updates(params, updates), opt_state, loss

    batches = ArrayBatches(x, y, cfg.batch_size, cfg.seed)
    for epoch in range(cfg.epochs):
        for xb, yb in batches:
            xb = jax.device_put(xb, by_row)
            yb = jax.device_put(yb, by_row)
            params, opt_state, loss = step(params, opt_state, xb, yb)
        print(f"epoch {epoch} loss {float(loss):.4f}")


if __name__ == "__main__":
    main()
