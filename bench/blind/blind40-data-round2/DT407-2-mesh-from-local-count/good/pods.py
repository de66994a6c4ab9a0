import argparse

import jax
import jax.numpy as jnp
import numpy as np
import optax
from flax import nnx
from jax.sharding import Mesh, NamedSharding, PartitionSpec as P


class Block(nnx.Module):
    def __init__(self, dim, rngs):
        self.norm = nnx.LayerNorm(dim, rngs=rngs)
        self.up = nnx.Linear(dim, 4 * dim, rngs=rngs)
        self.down = nnx.Linear(4 * dim, dim, rngs=rngs)

    def __call__(self, x):
        return x + self.down(nnx.gelu(self.up(self.norm(x))))


class Stack(nnx.Module):
    def __init__(self, dim, depth, rngs):
        self.blocks = nnx.List([Block(dim, rngs) for _ in range(depth)])
        self.head = nnx.Linear(dim, 1, rngs=rngs)

    def __call__(self, x):
        for block in self.blocks:
            x = block(x)
        return self.head(x)[..., 0]


def data_model_mesh(model_parallel):
    data_parallel = jax.device_count() // model_parallel
    devices = np.asarray(jax.devices()).reshape(data_parallel, model_parallel)
    return Mesh(devices, ("data", "model"))


@nnx.jit
def train_step(model, optimizer, x, y):
    def loss_fn(model):
        return jnp.mean((model(x) - y) ** 2)

    loss, grads = nnx.value_and_grad(loss_fn)(model)
    optimizer.update(model, grads)
    return loss


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--model-parallel", type=int, default=2)
    parser.add_argument("--rows-per-host", type=int, default=128)
    parser.add_argument("--steps", type=int, default=200)
    args = parser.parse_args()
    jax.distributed.initialize()
    mesh = data_model_mesh(args.model_parallel)
    by_row = NamedSharding(mesh, P("data"))
    model = Stack(64, 4, nnx.Rngs(0))
    nnx.update(model, jax.device_put(nnx.state(model), NamedSharding(mesh, P())))
    optimizer = nnx.Optimizer(model, optax.adamw(1e-3), wrt=nnx.Param)
    rng = np.random.default_rng([5, jax.process_index()])
    for step in range(args.steps):
        local = rng.normal(size=(args.rows_per_host, 64)).astype(np.float32)
        x = jax.make_array_from_process_local_data(by_row, local)
        y = jax.make_array_from_process_local_data(by_row, local.sum(axis=1))
        loss = train_step(model, optimizer, x, y)
        if step % 50 == 0 and jax.process_index() == 0:
            print(step, float(loss))


if __name__ == "__main__":
    main()
