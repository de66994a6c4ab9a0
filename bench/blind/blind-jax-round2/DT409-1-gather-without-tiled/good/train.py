from functools import partial

import jax
import jax.numpy as jnp
import numpy as np
import optax
from flax import nnx
from jax.sharding import Mesh, NamedSharding, PartitionSpec as P

from hard import HardExamples


class Net(nnx.Module):
    def __init__(self, rngs):
        self.inp = nnx.Linear(5, 32, rngs=rngs)
        self.out = nnx.Linear(32, 1, rngs=rngs)

    def __call__(self, x):
        return self.out(nnx.relu(self.inp(x)))[..., 0]


def per_example(model, x, y):
    return (model(x) - y) ** 2


@nnx.jit
def train_step(model, optimizer, x, y):
    loss, grads = nnx.value_and_grad(lambda m: per_example(m, x, y).mean())(model)
    optimizer.update(model, grads)
    return loss


@nnx.jit
def eval_step(model, x, y):
    return per_example(model, x, y)


def host_batches(mesh, seed, count, host_rows):
    rng = np.random.default_rng([seed, jax.process_index()])
    rows = NamedSharding(mesh, P("data"))
    for _ in range(count):
        x = rng.normal(size=(host_rows, 5)).astype(np.float32)
        yield tuple(jax.make_array_from_process_local_data(rows, a) for a in (x, x.min(-1)))


def main(steps=10, global_batch=32):
    jax.distributed.initialize()
    mesh = Mesh(np.array(jax.devices()), ("data",))

    @nnx.jit
    def create():
        model = Net(nnx.Rngs(0))
        state = nnx.state(model)
        nnx.update(model, jax.lax.with_sharding_constraint(state, NamedSharding(mesh, P())))
        return model

    model = create()
    optimizer = nnx.Optimizer(model, optax.adam(1e-3), wrt=nnx.Param)
    host_rows = global_batch // jax.process_count()
    for x, y in host_batches(mesh, 0, steps, host_rows):
        loss = train_step(model, optimizer, x, y)
    hard = HardExamples(4)
    for x, y in host_batches(mesh, 1, 3, host_rows):
        hard.add(eval_step(model, x, y))
    if jax.process_index() == 0:
        print("loss", float(loss), "worst", hard.worst())


if __name__ == "__main__":
    main()
