"""Multi-host pmap training of a small ViT-like patch mixer (flax.linen)."""
from functools import partial

import flax.linen as nn
import jax
import jax.numpy as jnp
import numpy as np
import optax
from absl import app, flags
from flax import jax_utils
from flax.training.train_state import TrainState

FLAGS = flags.FLAGS
flags.DEFINE_integer("seed", 42, "")
flags.DEFINE_integer("steps", 1000, "")
flags.DEFINE_integer("rows", 32, "rows for each device")


class Mixer(nn.Module):
    depth: int = 2
    dim: int = 64

    @nn.compact
    def __call__(self, x, train=True):
        x = nn.Dense(self.dim)(x)
        for _ in range(self.depth):
            y = nn.LayerNorm()(x)
            y = nn.Dense(self.dim)(nn.gelu(nn.Dense(2 * self.dim)(y)))
            x = x + nn.Dropout(0.1, deterministic=not train)(y)
        return nn.Dense(10)(x.mean(axis=1))


@partial(jax.pmap, axis_name="batch", donate_argnums=(0,))
def train_step(state, x, y, key):
    def loss_fn(params):
        logits = state.apply_fn({"params": params}, x, rngs={"dropout": key})
        return optax.softmax_cross_entropy_with_integer_labels(logits, y).mean()

    loss, grads = jax.value_and_grad(loss_fn)(state.params)
    loss, grads = jax.lax.pmean((loss, grads), "batch")
    return state.apply_gradients(grads=grads), loss


def host_batches(rows):
    rng = np.random.default_rng([3, jax.process_index()])
    n = jax.local_device_count()
    while True:
        yield rng.normal(size=(n, rows, 16, 48)).astype(np.float32), rng.integers(0, 10, (n, rows))


def run(_):
    jax.distributed.initialize()
    key = jax.random.PRNGKey(FLAGS.seed)
    key, init_key = jax.random.split(key)
    key = jax.random.fold_in(key, jax.process_index())
    model = Mixer()
    params = model.init(init_key, jnp.zeros((1, 16, 48)), train=False)["params"]
    state = TrainState.create(apply_fn=model.apply, params=params, tx=optax.adamw(1e-3))
    state = jax_utils.replicate(state)
    data = host_batches(FLAGS.rows)
    for step in range(FLAGS.steps):
        x, y = next(data)
        key, sub = jax.random.split(key)
        state, loss = train_step(state, x, y, jax.random.split(sub, jax.local_device_count()))
        if step % 100 == 0 and jax.process_index() == 0:
            print(step, float(loss[0]))


if __name__ == "__main__":
    app.run(run)
