import os

import jax
import numpy as np
import optax
from jax.sharding import Mesh, NamedSharding, PartitionSpec as P

from nerf import render


def init(key, width=64):
    k1, k2, k3 = jax.random.split(key, 3)
    return {
        "hidden": [jax.random.normal(k1, (96, width)) / 10, jax.random.normal(k2, (width, width)) / 8],
        "colour": jax.random.normal(k3, (width, 3)) / 8,
    }


def main(steps=2000, rays=8192):
    jax.distributed.initialize(os.environ["COORDINATOR"], int(os.environ["HOSTS"]), int(os.environ["HOST_ID"]))
    mesh = Mesh(np.asarray(jax.devices()), ("rays",))
    rows = NamedSharding(mesh, P("rays"))
    tx = optax.adam(5e-4)
    params = jax.jit(init, out_shardings=NamedSharding(mesh, P()))(jax.random.key(0))
    opt_state = jax.jit(tx.init)(params)

    @jax.jit
    def step(params, opt_state, points, colours):
        loss, grads = jax.value_and_grad(lambda p: ((render(p, points) - colours) ** 2).mean())(params)
        updates, opt_state = tx.update(grads, opt_state)
        return optax.apply_updates(params, updates), opt_state, loss

    draw = np.random.default_rng((0, jax.process_index()))
    for i in range(steps):
        points = draw.uniform(-1, 1, (rays // jax.process_count(), 3)).astype(np.float32)
        points_all = jax.make_array_from_process_local_data(rows, points)
        colours_all = jax.make_array_from_process_local_data(rows, np.abs(np.sin(3 * points)))
        params, opt_state, loss = step(params, opt_state, points_all, colours_all)
        if i % 200 == 0 and jax.process_index() == 0:
            print(i, float(loss))


if __name__ == "__main__":
    main()
