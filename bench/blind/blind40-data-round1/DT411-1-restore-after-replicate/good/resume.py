import pathlib

import flax.linen as nn
import jax
import jax.numpy as jnp
import numpy as np
import optax
from flax import jax_utils
from flax.training import checkpoints, train_state


class Tagger(nn.Module):
    tags: int

    @nn.compact
    def __call__(self, x):
        return nn.Dense(self.tags)(nn.tanh(nn.Dense(64)(x)))


def train_step(state, x, y):
    def loss_fn(params):
        logits = state.apply_fn({"params": params}, x)
        return optax.softmax_cross_entropy_with_integer_labels(logits, y).mean()

    loss, grads = jax.value_and_grad(loss_fn)(state.params)
    grads = jax.lax.pmean(grads, "batch")
    return state.apply_gradients(grads=grads), jax.lax.pmean(loss, "batch")


class Session:
    def __init__(self, workdir, tags=7):
        self.workdir = pathlib.Path(workdir).absolute()
        model = Tagger(tags)
        params = model.init(jax.random.PRNGKey(0), jnp.ones((1, 30)))["params"]
        self.state = train_state.TrainState.create(apply_fn=model.apply, params=params, tx=optax.adam(1e-3))
        self.p_step = jax.pmap(train_step, axis_name="batch")

    def restore(self):
        self.state = checkpoints.restore_checkpoint(self.workdir, self.state)
        return int(self.state.step)

    def replicate(self):
        self.state = jax_utils.replicate(self.state)

    def save(self):
        single = jax_utils.unreplicate(self.state)
        checkpoints.save_checkpoint(self.workdir, single, int(single.step), keep=2, overwrite=True)

    def fit(self, batches, steps, every=100):
        start = self.restore()
        self.replicate()
        for i in range(start, steps):
            x, y = next(batches)
            self.state, loss = self.p_step(self.state, x, y)
            if (i + 1) % every == 0:
                print(i + 1, float(loss[0]))
                self.save()


def batches(rows):
    rng = np.random.default_rng(5)
    n = jax.local_device_count()
    while True:
        x = rng.normal(size=(n, rows // n, 30)).astype(np.float32)
        yield x, np.argmax(x[..., :7], axis=-1)


if __name__ == "__main__":
    Session("/tmp/tagger").fit(batches(64), steps=400)
