import dataclasses

import jax
import jax.numpy as jnp
import numpy as np
import optax
from flax import nnx
from jax.sharding import Mesh, NamedSharding, PartitionSpec as P

from net import Net


@dataclasses.dataclass
class Config:
    seed: int = 0
    dim: int = 8
    depth: int = 2
    batch: int = 32
    steps: int = 8


@nnx.jit
def train_step(model, optimizer, x, y):
    def loss_fn(model):
        return jnp.mean((model(x) - y) ** 2)

    loss, grads = nnx.value_and_grad(loss_fn)(model)
    optimizer.update(model, grads)
    return loss


def main(cfg):
    devices = np.asarray(jax.devices()).reshape(-1, 2)
    mesh = Mesh(devices, ("data", "model"))
    with jax.set_mesh(mesh):
        model = Net(cfg.dim, cfg.depth, nnx.Rngs(params=cfg.seed, dropout=cfg.seed + 1))
        optimizer = nnx.Optimizer(model, optax.adamw(1e-3), wrt=nnx.Param)
        rng = np.random.default_rng(cfg.seed)
        rows = NamedSharding(mesh, P("data"))
        model.train()
        for _ in range(cfg.steps):
            x = rng.normal(size=(cfg.batch, cfg.dim)).astype(np.float32)
            x, y = jax.device_put((x, np.abs(x).sum(-1)), rows)
            loss = train_step(model, optimizer, x, y)
        model.eval()
        held = jnp.mean((model(x) - y) ** 2)
    print("train", float(loss), "held", float(held))


if __name__ == "__main__":
    main(Config())
