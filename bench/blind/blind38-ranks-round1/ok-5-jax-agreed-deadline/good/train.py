import time
from pathlib import Path

import jax
import jax.numpy as jnp
import numpy as np
import optax
import orbax.checkpoint as ocp
from flax import linen as nn
from flax.training import train_state
from jax.experimental import multihost_utils
from jax.sharding import Mesh, NamedSharding, PartitionSpec as P


class Deadline:
    def __init__(self, seconds):
        self.end = time.monotonic() + seconds

    def passed(self):
        mine = np.array(time.monotonic() > self.end)
        return bool(multihost_utils.broadcast_one_to_all(mine))


class Encoder(nn.Module):
    width: int = 64

    @nn.compact
    def __call__(self, x):
        x = nn.relu(nn.Dense(self.width)(x))
        return nn.Dense(4)(x)


def create(rng, sharding):
    model = Encoder()

    def init():
        params = model.init(rng, jnp.zeros((1, 12)))["params"]
        return train_state.TrainState.create(apply_fn=model.apply, params=params, tx=optax.adam(1e-3))

    return jax.jit(init, out_shardings=sharding)()


@jax.jit
def train_step(state, x, y):
    def loss_fn(params):
        logits = state.apply_fn({"params": params}, x)
        return optax.softmax_cross_entropy_with_integer_labels(logits, y).mean()

    loss, grads = jax.value_and_grad(loss_fn)(state.params)
    return state.apply_gradients(grads=grads), loss


def main():
    jax.distributed.initialize()
    mesh = Mesh(np.array(jax.devices()), ("data",))
    by_row, everywhere = NamedSharding(mesh, P("data")), NamedSharding(mesh, P())
    state = create(jax.random.key(0), everywhere)
    manager = ocp.CheckpointManager(Path("ckpt").absolute(), options=ocp.CheckpointManagerOptions(max_to_keep=2))
    deadline = Deadline(3600.0)
    rng = np.random.default_rng(jax.process_index())
    local_batch = 8 * jax.local_device_count()
    for step in range(100_000):
        x = rng.normal(size=(local_batch, 12)).astype(np.float32)
        y = x[:, :4].argmax(axis=1)
        gx = jax.make_array_from_process_local_data(by_row, x)
        gy = jax.make_array_from_process_local_data(by_row, y)
        state, loss = train_step(state, gx, gy)
        if step % 200 == 0:
            if jax.process_index() == 0:
                print(step, float(loss))
            if deadline.passed():
                manager.save(step, args=ocp.args.StandardSave(state))
                break
    manager.wait_until_finished()
    manager.close()


if __name__ == "__main__":
    main()
