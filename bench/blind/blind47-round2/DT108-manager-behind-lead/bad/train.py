import contextlib
import sys

import jax
import jax.numpy as jnp
import orbax.checkpoint as ocp

from policy import Every


@contextlib.contextmanager
def checkpoints(root):
    options = ocp.CheckpointManagerOptions(max_to_keep=3, enable_async_checkpointing=True)
    with ocp.CheckpointManager(root, options=options) as manager:
        yield manager
        manager.wait_until_finished()


def main(root):
    jax.distributed.initialize()
    policy = Every(100)
    state = {"w": jnp.zeros(16)}
    step_fn = jax.jit(lambda s, x: {"w": s["w"] + 0.01 * x})
    with checkpoints(root) as manager:
        for step in range(1000):
            state = step_fn(state, float(step))
            if policy.due(step):
                manager.save(step, args=ocp.args.StandardSave(state))


if __name__ == "__main__":
    main(sys.argv[1])
