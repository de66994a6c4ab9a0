import functools
import os
from pathlib import Path

import jax
import jax.numpy as jnp
import numpy as np
import optax
import orbax.checkpoint as ocp
from flax import linen as nn
from flax.training import train_state
from jax.sharding import Mesh, NamedSharding, PartitionSpec as P


class Mlp(nn.Module):
    features: tuple = (64, 32, 1)

    @nn.compact
    def __call__(self, x):
        for width in self.features[:-1]:
            x = nn.gelu(nn.Dense(width)(x))
        return nn.Dense(self.features[-1])(x)


class Saver:
    def __init__(self, root, every):
        options = ocp.CheckpointManagerOptions(max_to_keep=2, save_interval_steps=every)
        self.manager = ocp.CheckpointManager(root, options=options)

    def __call__(self, step, state):
        self.manager.save(step, args=ocp.args.StandardSave({"params": state.params, "step": state.step}))
        if jax.process_index() == 0:
            print("saved", step)

    def close(self):
        self.manager.wait_until_finished()
        self.manager.close()


@functools.partial(jax.jit, donate_argnums=0)
def train_step(state, x, y):
    def loss_fn(params):
        return jnp.mean((state.apply_fn({"params": params}, x) - y) ** 2)

    loss, grads = jax.value_and_grad(loss_fn)(state.params)
    return state.apply_gradients(grads=grads), loss


def local_batches(process, processes, batch=64, steps=300):
    rng = np.random.default_rng(1000 + process)
    for _ in range(steps):
        x = rng.normal(size=(batch // processes, 12)).astype(np.float32)
        yield x, np.sin(x).sum(axis=1, keepdims=True)


def main():
    jax.distributed.initialize()
    mesh = Mesh(np.asarray(jax.devices()), ("data",))
    by_batch = NamedSharding(mesh, P("data"))
    replicated = NamedSharding(mesh, P())
    model = Mlp()
    params = model.init(jax.random.key(0), jnp.zeros((1, 12)))["params"]
    state = train_state.TrainState.create(apply_fn=model.apply, params=params, tx=optax.adam(1e-3))
    state = jax.device_put(state, replicated)
    saver = Saver(Path(os.environ.get("CKPT_DIR", "ckpt")).absolute(), every=100)
    for step, (x, y) in enumerate(local_batches(jax.process_index(), jax.process_count())):
        x = jax.make_array_from_process_local_data(by_batch, x)
        y = jax.make_array_from_process_local_data(by_batch, y)
        state, loss = train_step(state, x, y)
        saver(step, state)
    saver.close()


if __name__ == "__main__":
    main()
