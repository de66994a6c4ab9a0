import jax
import jax.numpy as jnp
import numpy as np
from jax.experimental import multihost_utils
from jax.sharding import Mesh, NamedSharding, PartitionSpec as P


def build(mesh):
    rows, everywhere = NamedSharding(mesh, P("data")), NamedSharding(mesh, P())

    def losses(w, x, y):
        return (x @ w - y) ** 2

    def step(w, x, y):
        return w - 0.05 * jax.grad(lambda v: losses(v, x, y).mean())(w)

    train = jax.jit(step, in_shardings=(everywhere, rows, rows), out_shardings=everywhere)
    score = jax.jit(losses, in_shardings=(everywhere, rows, rows), out_shardings=rows)
    return train, score


def hardest(values, k=8):
    values = np.asarray(values)
    return np.argsort(values)[-k:]


def main(steps=50, per_host=64):
    jax.distributed.initialize()
    mesh = Mesh(np.asarray(jax.devices()), ("data",))
    rows = NamedSharding(mesh, P("data"))
    train, score = build(mesh)
    rng = np.random.default_rng([0, jax.process_index()])
    w = jnp.zeros((6,))
    for step in range(steps):
        x = rng.normal(size=(per_host, 6)).astype(np.float32)
        x, y = (jax.make_array_from_process_local_data(rows, a) for a in (x, x.sum(-1)))
        w = train(w, x, y)
    worst = hardest(score(w, x, y))
    if jax.process_index() == 0:
        print("hardest rows", worst)


if __name__ == "__main__":
    main()
