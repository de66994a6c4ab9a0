import sys

import jax

jax.distributed.initialize()

import jax.numpy as jnp
import numpy as np
import optax
from jax.sharding import Mesh, NamedSharding, PartitionSpec as P

from experiment import Experiment


def main(root):
    run = Experiment(root).open()
    mesh = Mesh(np.array(jax.devices()), ("data",))
    rows, whole = NamedSharding(mesh, P("data")), NamedSharding(mesh, P())
    tx = optax.sgd(run.lr, momentum=0.9)
    w = jax.device_put(jnp.zeros(8), whole)
    state = jax.device_put(tx.init(w), whole)

    @jax.jit
    def step(w, state, x, y):
        loss, grad = jax.value_and_grad(lambda v: jnp.mean((x @ v - y) ** 2))(w)
        update, state = tx.update(grad, state, w)
        return optax.apply_updates(w, update), state, loss

    rng = np.random.default_rng([run.seed, jax.process_index()])
    for i in range(run.steps):
        x = rng.standard_normal((32, 8), dtype=np.float32)
        gx = jax.make_array_from_process_local_data(rows, x)
        gy = jax.make_array_from_process_local_data(rows, x.sum(1))
        w, state, loss = step(w, state, gx, gy)
    if jax.process_index() == 0:
        np.save(run.folder / "w.npy", np.asarray(w))


if __name__ == "__main__":
    main(sys.argv[1])
