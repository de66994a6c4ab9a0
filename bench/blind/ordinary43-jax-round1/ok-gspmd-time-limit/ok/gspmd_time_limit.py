"""Wall clock limit and preemption decided on host 0 and broadcast."""
import signal
import time

import jax
import jax.numpy as jnp
import numpy as np
import orbax.checkpoint as ocp
from jax.experimental import multihost_utils


class Preemption:
    def __init__(self):
        self.flag = False
        signal.signal(signal.SIGTERM, self._handle)

    def _handle(self, *_):
        self.flag = True

    def agreed(self):
        flags = multihost_utils.process_allgather(np.int32(self.flag))
        return bool(np.any(flags))


def out_of_time(started, limit):
    stop = np.int32(time.time() - started > limit)
    return bool(multihost_utils.broadcast_one_to_all(stop))


@jax.jit
def step(w, x):
    return w - 0.1 * jax.grad(lambda w: jnp.mean((x @ w) ** 2))(w)


def main(limit=30.0, steps=50):
    jax.distributed.initialize()
    preempted = Preemption()
    manager = ocp.CheckpointManager("/tmp/gspmd_time", options=ocp.CheckpointManagerOptions(max_to_keep=1))
    mesh = jax.sharding.Mesh(jax.devices(), ("data",))
    sharding = jax.sharding.NamedSharding(mesh, jax.sharding.PartitionSpec("data"))
    w = jax.jit(lambda: jnp.ones((4, 1)), out_shardings=jax.sharding.NamedSharding(mesh, jax.sharding.PartitionSpec()))()
    rng = np.random.default_rng(jax.process_index())
    started = time.time()
    for i in range(steps):
        local = rng.normal(size=(8 * jax.local_device_count(), 4))
        w = step(w, jax.make_array_from_process_local_data(sharding, local))
        if i % 10 == 0:
            if out_of_time(started, limit) or preempted.agreed():
                manager.save(i, args=ocp.args.StandardSave({"w": w}), force=True)
                break
    manager.wait_until_finished()
    if jax.process_index() == 0:
        print("stopped after", i)


if __name__ == "__main__":
    main()
