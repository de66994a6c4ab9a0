import multiprocessing
import sys

import jax
import jax.numpy as jnp
import numpy as np
import optax
from jax.experimental import multihost_utils
from jax.sharding import Mesh, NamedSharding, PartitionSpec as P

from conf import Conf


def simulate(seed):
    rng = np.random.default_rng(seed)
    x = rng.normal(size=(256, 10)).astype(np.float32)
    return x, np.cumsum(x, axis=1)[:, -1]


def main():
    conf = Conf.read(sys.argv[1])
    if conf.hosts > 1:
        jax.distributed.initialize(conf.coordinator, conf.hosts, conf.host)
    mesh = Mesh(np.array(jax.devices()), ("data",))
    rows, whole = NamedSharding(mesh, P("data")), NamedSharding(mesh, P())
    seeds = [1000 * jax.process_index() + i for i in range(32)]
    with multiprocessing.get_context("spawn").Pool(conf.workers) as pool:
        parts = pool.map(simulate, seeds)
    xs, ys = (np.concatenate(part) for part in zip(*parts))
    tx = optax.adam(1e-2)
    w = jax.device_put(jnp.zeros(10), whole)
    opt_state = jax.device_put(tx.init(w), whole)

    def errors(w, x, y):
        return (x @ w - y) ** 2

    @jax.jit
    def step(w, opt_state, x, y):
        loss, grad = jax.value_and_grad(lambda w: errors(w, x, y).mean())(w)
        updates, opt_state = tx.update(grad, opt_state)
        return optax.apply_updates(w, updates), opt_state, loss

    score = jax.jit(errors, out_shardings=rows)
    rng = np.random.default_rng([1, jax.process_index()])
    per_host = conf.batch // jax.process_count()
    for i in range(conf.steps):
        pick = rng.integers(0, len(xs), per_host)
        x, y = (jax.make_array_from_process_local_data(rows, a[pick]) for a in (xs, ys))
        w, opt_state, loss = step(w, opt_state, x, y)
        value = float(loss)
        if jax.process_index() == 0 and i % 20 == 0:
            print(i, value, np.asarray(w).round(2))
    final = multihost_utils.process_allgather(score(w, x, y), tiled=True)
    if jax.process_index() == 0:
        np.save("errors.npy", final)


if __name__ == "__main__":
    main()
