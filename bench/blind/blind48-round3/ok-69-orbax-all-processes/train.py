import jax
import jax.numpy as jnp
import numpy as np
import orbax.checkpoint as ocp
from jax.sharding import Mesh, NamedSharding, PartitionSpec as P


@jax.jit
def step(w, x):
    return w - 0.05 * jax.grad(lambda v: jnp.mean((x @ v - x.sum(-1)) ** 2))(w)


def main(steps=100, per_host=32):
    jax.distributed.initialize()
    mesh = Mesh(np.asarray(jax.devices()), ("data",))
    rows, everywhere = NamedSharding(mesh, P("data")), NamedSharding(mesh, P())
    manager = ocp.CheckpointManager("/shared/run", options=ocp.CheckpointManagerOptions(max_to_keep=2))
    w = jax.device_put(jnp.zeros((6,)), everywhere)
    first = manager.latest_step()
    if first is not None:
        w = manager.restore(first, args=ocp.args.StandardRestore(w))
    rng = np.random.default_rng([1, jax.process_index()])
    for i in range((first or 0), steps):
        x = jax.make_array_from_process_local_data(rows, rng.normal(size=(per_host, 6)).astype(np.float32))
        w = step(w, x)
        if i % 20 == 19:
            manager.save(i + 1, args=ocp.args.StandardSave(w))
    manager.wait_until_finished()
    if jax.process_index() == 0:
        print(np.asarray(w))
    manager.close()


if __name__ == "__main__":
    main()
