import sys

import jax
import jax.numpy as jnp
import numpy as np
import optax
from jax.sharding import Mesh, NamedSharding, PartitionSpec as P

from feed import rows


def reconstruct(params, x):
    return jax.nn.relu(x @ params["down"]) @ params["up"]


def make_step(tx):
    @jax.jit
    def step(params, opt_state, x):
        loss, grads = jax.value_and_grad(lambda p: jnp.mean((reconstruct(p, x) - x) ** 2))(params)
        updates, opt_state = tx.update(grads, opt_state, params)
        return optax.apply_updates(params, updates), opt_state, loss

    return step


def main(folder):
    jax.distributed.initialize()
    mesh = Mesh(np.asarray(jax.devices()), ("data",))
    by_row, whole = NamedSharding(mesh, P("data")), NamedSharding(mesh, P())
    k1, k2 = jax.random.split(jax.random.key(3))
    params = {"down": jax.random.normal(k1, (256, 32)) / 16, "up": jax.random.normal(k2, (32, 256)) / 6}
    params = jax.device_put(params, whole)
    tx = optax.lion(1e-4)
    opt_state = jax.jit(tx.init, out_shardings=whole)(params)
    step = make_step(tx)
    per_host = 64 * jax.local_device_count()
    for epoch in range(3):
        loss = None
        for local in rows(folder, per_host):
            x = jax.make_array_from_process_local_data(by_row, local)
            params, opt_state, loss = step(params, opt_state, x)
        if jax.process_index() == 0:
            print(epoch, loss)


if __name__ == "__main__":
    main(sys.argv[1])
