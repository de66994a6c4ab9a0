import os

import jax
import jax.numpy as jnp
import numpy as np
import optax
from jax.sharding import Mesh, NamedSharding, PartitionSpec as P

from settings import Settings


def connect():
    if int(os.environ.get("JAX_NUM_PROCESSES", "1")) > 1:
        jax.distributed.initialize()


def host_batches(settings):
    rng = np.random.default_rng([0, jax.process_index()])
    for _ in range(settings.steps):
        x = rng.normal(size=(settings.host_batch, 5)).astype(np.float32)
        yield x, x @ np.arange(5, dtype=np.float32)


def main():
    connect()
    settings = Settings()
    mesh = Mesh(np.array(jax.devices()), ("data",))
    rows, whole = NamedSharding(mesh, P("data")), NamedSharding(mesh, P())
    tx = optax.sgd(settings.lr)
    params = jax.jit(lambda: jnp.zeros((5,)), out_shardings=whole)()
    opt_state = jax.jit(tx.init)(params)

    @jax.jit
    def step(params, opt_state, x, y):
        loss, grads = jax.value_and_grad(lambda p: jnp.mean((x @ p - y) ** 2))(params)
        updates, opt_state = tx.update(grads, opt_state)
        return optax.apply_updates(params, updates), opt_state, loss

    for x, y in host_batches(settings):
        x, y = (jax.make_array_from_process_local_data(rows, a) for a in (x, y))
        params, opt_state, loss = step(params, opt_state, x, y)
    if jax.process_index() == 0:
        print("loss", float(loss))


if __name__ == "__main__":
    main()
