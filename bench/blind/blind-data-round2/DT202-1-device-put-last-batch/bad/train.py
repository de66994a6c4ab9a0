import dataclasses

import flax.linen as nn
import jax
import jax.numpy as jnp
import numpy as np
import optax
from jax.experimental import mesh_utils
from jax.sharding import Mesh, NamedSharding, PartitionSpec
from torch.utils.data import DataLoader, Dataset


@dataclasses.dataclass(frozen=True)
class Config:
    rows: int = 1003
    batch: int = 96
    epochs: int = 2
    width: int = 32


class Bumps(Dataset):
    def __init__(self, rows):
        rng = np.random.default_rng(0)
        self.x = rng.uniform(-2, 2, (rows, 2)).astype(np.float32)

    def __len__(self):
        return len(self.x)

    def __getitem__(self, i):
        return self.x[i], np.exp(-np.square(self.x[i]).sum())


def collate(rows):
    x, y = zip(*rows)
    return np.stack(x), np.asarray(y, dtype=np.float32)


class MLP(nn.Module):
    width: int

    @nn.compact
    def __call__(self, x):
        return nn.Dense(1)(nn.swish(nn.Dense(self.width)(x)))[..., 0]


def main(cfg=Config()):
    mesh = Mesh(mesh_utils.create_device_mesh((jax.device_count(),)), ("data",))
    by_row = NamedSharding(mesh, PartitionSpec("data"))
    everywhere = NamedSharding(mesh, PartitionSpec())
    model, tx = MLP(cfg.width), optax.adamw(1e-3)
    params = jax.device_put(model.init(jax.random.key(0), jnp.zeros((1, 2))), everywhere)
    opt_state = jax.device_put(tx.init(params), everywhere)
    loader = DataLoader(Bumps(cfg.rows), batch_size=cfg.batch, shuffle=True, collate_fn=collate)

    @jax.jit
    def update(params, opt_state, x, y):
        loss, grads = jax.value_and_grad(lambda p: jnp.mean((model.apply(p, x) - y) ** 2))(params)
        updates, opt_state = tx.update(grads, opt_state, params)
        return optax.apply_updates(params, updates), opt_state, loss

    for epoch in range(cfg.epochs):
        for batch in loader:
            x, y = jax.device_put(batch, by_row)
            params, opt_state, loss = update(params, opt_state, x, y)
        print(epoch, float(loss))


if __name__ == "__main__":
    main()
