"""Donated train state with an EMA kept inside it; orbax saves the current one."""
import functools
from typing import NamedTuple

import jax
import jax.numpy as jnp
import numpy as np
import optax
import orbax.checkpoint as ocp
from jax.sharding import NamedSharding, PartitionSpec as P


class State(NamedTuple):
    step: jax.Array
    params: dict
    ema: dict
    opt: optax.OptState


def init(key, tx):
    a, b = jax.random.split(key)
    params = {"a": 0.1 * jax.random.normal(a, (32, 64)), "b": 0.1 * jax.random.normal(b, (64, 32))}
    return State(jnp.int32(0), params, jax.tree.map(jnp.copy, params), tx.init(params))


def loss_fn(params, x):
    return jnp.mean((jax.nn.silu(x @ params["a"]) @ params["b"] - x) ** 2)


@functools.partial(jax.jit, static_argnames="tx", donate_argnames="state")
def update(state, x, *, tx):
    loss, grads = jax.value_and_grad(loss_fn)(state.params, x)
    updates, opt = tx.update(grads, state.opt, state.params)
    params = optax.apply_updates(state.params, updates)
    ema = optax.incremental_update(params, state.ema, 0.01)
    return State(state.step + 1, params, ema, opt), loss


def main(directory="/tmp/ema_run", steps=200):
    jax.distributed.initialize()
    mesh = jax.make_mesh((jax.device_count(),), ("data",))
    tx = optax.adamw(1e-3)
    state = jax.jit(init, static_argnums=1, out_shardings=NamedSharding(mesh, P()))(jax.random.key(0), tx)
    rng = np.random.default_rng(jax.process_index())
    per_host = 256 // jax.process_count()
    with ocp.CheckpointManager(directory, options=ocp.CheckpointManagerOptions(max_to_keep=2)) as manager:
        for _ in range(steps):
            x = rng.normal(size=(per_host, 32)).astype(np.float32)
            x = jax.make_array_from_process_local_data(NamedSharding(mesh, P("data")), x)
            state, loss = update(state, x, tx=tx)
            step = int(state.step)
            if step % 50 == 0:
                manager.save(step, args=ocp.args.StandardSave({"params": state.params, "ema": state.ema}))
                value = float(loss)
                if jax.process_index() == 0:
                    print(step, value)
        manager.wait_until_finished()


if __name__ == "__main__":
    main()
