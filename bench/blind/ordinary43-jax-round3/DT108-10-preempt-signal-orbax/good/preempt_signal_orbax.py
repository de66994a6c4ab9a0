"""Preemption: orbax reached_preemption, try/finally close, emergency save by all hosts."""
import contextlib
import pathlib

import jax
import jax.numpy as jnp
import numpy as np
import orbax.checkpoint as ocp
from jax.sharding import Mesh, NamedSharding
from jax.sharding import PartitionSpec as P


@contextlib.contextmanager
def checkpoint_manager(path, **options):
    manager = ocp.CheckpointManager(path, options=ocp.CheckpointManagerOptions(**options))
    try:
        yield manager
    finally:
        manager.wait_until_finished()
        manager.close()


def make_state(mesh):
    replicated = NamedSharding(mesh, P())

    @jax.jit
    def init(key):
        return {"w": jax.random.normal(key, (8, 1)), "step": jnp.zeros((), jnp.int32)}

    with mesh:
        return jax.device_put(init(jax.random.key(0)), replicated)


def restore(manager, state):
    step = manager.latest_step()
    if step is None:
        return state
    target = jax.tree.map(lambda x: jax.ShapeDtypeStruct(x.shape, x.dtype, sharding=x.sharding), state)
    return manager.restore(step, args=ocp.args.StandardRestore(target))


def main(path="/tmp/preempt_run", steps=20):
    mesh = Mesh(np.array(jax.devices()), ("data",))
    batch_sharding = NamedSharding(mesh, P("data"))

    @jax.jit
    def step_fn(state, x):
        loss, g = jax.value_and_grad(lambda w: jnp.mean((x @ w - x.sum(1, keepdims=True)) ** 2))(state["w"])
        return {"w": state["w"] - 0.05 * g, "step": state["step"] + 1}, loss

    with checkpoint_manager(pathlib.Path(path), max_to_keep=2, save_interval_steps=10, create=True) as manager:
        state = restore(manager, make_state(mesh))
        rng = np.random.default_rng(jax.process_index())
        for step in range(int(state["step"]), steps):
            local = rng.normal(size=(4 * jax.local_device_count(), 8)).astype(np.float32)
            x = jax.make_array_from_process_local_data(batch_sharding, local)
            state, loss = step_fn(state, x)
            if manager.reached_preemption(step):
                manager.save(step, args=ocp.args.StandardSave(state), force=True)
                break
            if manager.should_save(step):
                manager.save(step, args=ocp.args.StandardSave(state))
        if jax.process_index() == 0:
            print(step, float(loss))


if __name__ == "__main__":
    main()
