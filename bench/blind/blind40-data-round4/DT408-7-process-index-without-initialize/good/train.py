import os

import jax
import jax.numpy as jnp
import numpy as np
import optax
from flax import jax_utils

tx = optax.adam(1e-3)


def setup():
    os.environ.setdefault("XLA_PYTHON_CLIENT_PREALLOCATE", "false")
    jax.distributed.initialize(
        coordinator_address=f"{os.environ['SLURM_LAUNCH_NODE_IPADDR']}:12345",
        num_processes=int(os.environ["SLURM_NTASKS"]),
        process_id=int(os.environ["SLURM_PROCID"]),
    )
    return jax.process_index(), jax.process_count()


def files(index, count):
    names = sorted(os.listdir("shards"))
    even = len(names) // count * count
    return names[:even][index::count]


def step(params, opt_state, x):
    grads = jax.lax.pmean(jax.grad(lambda p: jnp.mean((x @ p) ** 2))(params), "i")
    updates, opt_state = tx.update(grads, opt_state)
    return optax.apply_updates(params, updates), opt_state


def main():
    index, count = setup()
    params = jnp.ones((16, 1))
    opt_state = jax_utils.replicate(tx.init(params))
    params = jax_utils.replicate(params)
    p_step = jax.pmap(step, axis_name="i")
    n = jax.local_device_count()
    for name in files(index, count):
        rows = np.load(f"shards/{name}")[: 1024 * n]
        params, opt_state = p_step(params, opt_state, rows.reshape(n, 1024, 16))
    if index == 0:
        np.save("params.npy", jax.device_get(jax_utils.unreplicate(params)))


if __name__ == "__main__":
    main()
