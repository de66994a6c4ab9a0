import argparse

import jax
import jax.numpy as jnp
import optax
from flax import nnx
from jax.sharding import Mesh, NamedSharding, PartitionSpec as P

from data import loader


class AutoEncoder(nnx.Module):
    def __init__(self, size, width, rngs):
        self.encode = nnx.Linear(size, width, rngs=rngs)
        self.decode = nnx.Linear(width, size, rngs=rngs)

    def __call__(self, x):
        return self.decode(nnx.gelu(self.encode(x)))


@nnx.jit
def train_step(model, optimizer, x):
    def loss_fn(m):
        return jnp.mean((m(x) - x) ** 2)

    loss, grads = nnx.value_and_grad(loss_fn)(model)
    optimizer.update(model, grads)
    return loss


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--scans", default="scans.npy")
    parser.add_argument("--workers", type=int, default=4)
    parser.add_argument("--batch", type=int, default=64)
    parser.add_argument("--epochs", type=int, default=5)
    args = parser.parse_args()
    mesh = Mesh(jax.devices(), ("data",))
    rows = NamedSharding(mesh, P("data"))
    model = AutoEncoder(128, 32, nnx.Rngs(0))
    optimizer = nnx.Optimizer(model, optax.adamw(1e-3), wrt=nnx.Param)
    nnx.update(model, jax.device_put(nnx.state(model), NamedSharding(mesh, P())))
    batches = loader(args.scans, 128, args.batch, args.workers)
    for epoch in range(args.epochs):
        for x in batches:
            loss = train_step(model, optimizer, jax.device_put(x, rows))
        print(epoch, float(loss))


if __name__ == "__main__":
    main()
