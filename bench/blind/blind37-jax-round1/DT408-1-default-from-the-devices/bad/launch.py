import os
import sys

import jax
import jax.numpy as jnp
import numpy as np
import optax
from jax.experimental import mesh_utils
from jax.sharding import Mesh, NamedSharding, PartitionSpec as P

import settings as settings_lib


def connect():
    if "COORDINATOR" in os.environ:
        jax.distributed.initialize(
            coordinator_address=os.environ["COORDINATOR"],
            num_processes=int(os.environ["NUM_PROCESSES"]),
            process_id=int(os.environ["PROCESS_ID"]),
        )


def train(settings):
    mesh = Mesh(mesh_utils.create_device_mesh((settings.data_parallel,)), ("data",))
    rows, whole = NamedSharding(mesh, P("data")), NamedSharding(mesh, P())
    tx = optax.adam(1e-3)

    @jax.jit
    def step(w, opt_state, x, y):
        loss, grad = jax.value_and_grad(lambda w: jnp.mean((x @ w - y) ** 2))(w)
        updates, opt_state = tx.update(grad, opt_state)
        return optax.apply_updates(w, updates), opt_state, loss

    w = jax.device_put(jnp.zeros(32), whole)
    opt_state = jax.device_put(tx.init(jnp.zeros(32)), whole)
    per_host = settings.global_batch // jax.process_count()
    draw = np.random.default_rng([settings.seed, jax.process_index()])
    for i in range(settings.steps):
        x = draw.normal(size=(per_host, 32)).astype(np.float32)
        x_global = jax.make_array_from_process_local_data(rows, x)
        y_global = jax.make_array_from_process_local_data(rows, x.sum(-1))
        w, opt_state, loss = step(w, opt_state, x_global, y_global)
        if i % 500 == 0 and jax.process_index() == 0:
            print(i, float(loss))


if __name__ == "__main__":
    chosen = settings_lib.load(sys.argv[1:]).resolved()
    connect()
    train(chosen)
