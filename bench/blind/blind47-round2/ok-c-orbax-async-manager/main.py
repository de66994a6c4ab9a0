import pathlib
import sys

import jax
import jax.numpy as jnp
import optax
import orbax.checkpoint as ocp
from flax import struct


@struct.dataclass
class State:
    params: dict
    opt: optax.OptState
    step: jax.Array


def main(root: pathlib.Path):
    jax.distributed.initialize()
    tx = optax.sgd(0.1, momentum=0.9)
    params = {"w": jnp.ones((8, 8))}
    state = State(params=params, opt=tx.init(params), step=jnp.zeros((), jnp.int32))

    @jax.jit
    def advance(state, x):
        grads = jax.grad(lambda p: jnp.mean((x @ p["w"]) ** 2))(state.params)
        updates, opt = tx.update(grads, state.opt)
        return state.replace(params=optax.apply_updates(state.params, updates), opt=opt, step=state.step + 1)

    manager = ocp.CheckpointManager(root / "ckpt", options=ocp.CheckpointManagerOptions(save_interval_steps=50))
    if manager.latest_step() is not None:
        state = manager.restore(manager.latest_step(), args=ocp.args.StandardRestore(state))
    for i in range(int(state.step), 500):
        state = advance(state, jnp.full((2, 8), float(i)))
        if manager.save(i, args=ocp.args.StandardSave(state)) and jax.process_index() == 0:
            (root / "last.txt").write_text(str(i))
    manager.wait_until_finished()
    manager.close()


if __name__ == "__main__":
    main(pathlib.Path(sys.argv[1]))
