"""Loss spikes: the replicated loss is the same on all hosts, so all of them go back to the last checkpoint together."""
import jax
import jax.numpy as jnp
import numpy as np
import orbax.checkpoint as ocp
from jax.sharding import Mesh, NamedSharding
from jax.sharding import PartitionSpec as P


class Diverged(Exception):
    pass


def build(mesh):
    @jax.jit
    def step(w, x):
        loss, g = jax.value_and_grad(lambda w: jnp.mean((x @ w - x.sum(1)) ** 2))(w)
        return w - 0.05 * g, loss

    w = jax.device_put(jnp.zeros(8), NamedSharding(mesh, P()))
    return step, w


def run_segment(step_fn, w, stream, start, stop, manager):
    for i in range(start, stop):
        w, loss = step_fn(w, next(stream))
        if not np.isfinite(float(loss)):
            raise Diverged(i)
        manager.save(i, args=ocp.args.StandardSave({"w": w}))
    return w, float(loss)


def stream(mesh):
    rng = np.random.default_rng([7, jax.process_index()])
    sharding = NamedSharding(mesh, P("data"))
    while True:
        local = rng.normal(size=(4 * jax.local_device_count(), 8)).astype(np.float32)
        yield jax.make_array_from_process_local_data(sharding, local)


def main(steps=12, retries=3):
    mesh = Mesh(np.array(jax.devices()), ("data",))
    step_fn, w = build(mesh)
    data = stream(mesh)
    manager = ocp.CheckpointManager("/tmp/nan_restart", options=ocp.CheckpointManagerOptions(max_to_keep=1, save_interval_steps=4))
    start = 0
    for attempt in range(retries):
        try:
            w, loss = run_segment(step_fn, w, data, start, steps, manager)
            break
        except Diverged as e:
            if attempt == retries - 1:
                raise
            latest = manager.latest_step()
            if latest is not None:
                w = manager.restore(latest, args=ocp.args.StandardRestore({"w": w}))["w"]
                start = latest + 1
            print("diverged at", e.args[0], "going back to", start)
    manager.wait_until_finished()
    manager.close()
    print(loss)


if __name__ == "__main__":
    main()
