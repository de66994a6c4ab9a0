import argparse

import jax
import jax.numpy as jnp
import numpy as np
import optax
from jax.sharding import Mesh, NamedSharding, PartitionSpec as P


def rows_of_host(per_host, seed):
    rng = np.random.default_rng([seed, jax.process_index()])
    while True:
        x = rng.normal(size=(per_host, 128)).astype(np.float32)
        yield x, np.tanh(x).mean(axis=1)


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--steps", type=int, default=100)
    parser.add_argument("--batch", type=int, default=8192)
    args = parser.parse_args()
    jax.distributed.initialize()
    mesh = Mesh(np.array(jax.devices()), ("data",))
    rows, whole = NamedSharding(mesh, P("data")), NamedSharding(mesh, P())
    tx = optax.adam(1e-3)
    params = jax.device_put(jax.random.normal(jax.random.key(0), (128,)) * 0.1, whole)
    opt_state = jax.device_put(tx.init(params), whole)

    @jax.jit
    def step(params, opt_state, x, y):
        loss, grads = jax.value_and_grad(lambda p: jnp.mean((x @ p - y) ** 2))(params)
        updates, opt_state = tx.update(grads, opt_state)
        return optax.apply_updates(params, updates), opt_state, loss

    stream = rows_of_host(args.batch // jax.process_count(), 0)
    for i in range(args.steps):
        x, y = (jax.make_array_from_process_local_data(rows, a) for a in next(stream))
        params, opt_state, loss = step(params, opt_state, x, y)
        if i % 100 == 0 and jax.process_index() == 0:
            print(i, float(loss))


if __name__ == "__main__":
    main()
