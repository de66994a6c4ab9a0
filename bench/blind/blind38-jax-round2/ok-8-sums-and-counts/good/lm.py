import argparse
import pickle
import threading
from functools import partial
from pathlib import Path

import flax.linen as nn
import jax
import jax.numpy as jnp
import numpy as np
import optax
from flax import jax_utils
from flax.training.train_state import TrainState
from jax import lax

PAD = 0


class Tiny(nn.Module):
    @nn.compact
    def __call__(self, tokens):
        x = nn.Embed(128, 32)(tokens)
        x = x + nn.RNN(nn.SimpleCell(32))(x)
        return nn.Dense(128)(x)


def token_losses(params, apply_fn, tokens):
    logits = apply_fn({"params": params}, tokens[:, :-1])
    mask = tokens[:, 1:] != PAD
    losses = optax.softmax_cross_entropy_with_integer_labels(logits, tokens[:, 1:])
    return jnp.sum(losses * mask), jnp.sum(mask)


@partial(jax.pmap, axis_name="b", donate_argnums=0)
def train_step(state, tokens):
    (total, count), grads = jax.value_and_grad(token_losses, has_aux=True)(state.params, state.apply_fn, tokens)
    total, count, grads = lax.psum((total, count, grads), "b")
    grads = jax.tree.map(lambda g: g / jnp.maximum(count, 1), grads)
    return state.apply_gradients(grads=grads), total / count


@partial(jax.pmap, axis_name="b")
def eval_step(state, tokens):
    return lax.psum(token_losses(state.params, state.apply_fn, tokens), "b")


def padded(rows, size):
    for at in range(0, len(rows), size):
        part = rows[at : at + size]
        yield np.pad(part, ((0, size - len(part)), (0, 0)), constant_values=PAD)


class Saver:
    def __init__(self, path):
        self.path, self.thread = Path(path), None

    def save(self, state):
        host = jax.device_get(jax_utils.unreplicate(state).params)
        if self.thread is not None:
            self.thread.join()
        self.thread = threading.Thread(target=lambda: self.path.write_bytes(pickle.dumps(host)))
        self.thread.start()


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--steps", type=int, default=30)
    args = parser.parse_args()
    n = jax.local_device_count()
    rng = np.random.default_rng(0)
    rows = rng.integers(1, 128, (500, 17))
    for row, length in zip(rows, rng.integers(4, 18, len(rows))):
        row[length:] = PAD
    model = Tiny()
    params = model.init(jax.random.key(0), jnp.ones((1, 4), jnp.int32))["params"]
    state = jax_utils.replicate(TrainState.create(apply_fn=model.apply, params=params, tx=optax.adam(1e-3)))
    saver = Saver("lm.pkl")
    for step in range(args.steps):
        batch = rows[rng.integers(0, 400, 8 * n)]
        state, loss = train_step(state, batch.reshape(n, 8, -1))
        if step % 10 == 9:
            saver.save(state)
            sums = [eval_step(state, part.reshape(n, -1, 17)) for part in padded(rows[400:], 8 * n)]
            total, count = (float(sum(s[i][0] for s in sums)) for i in (0, 1))
            print(step, float(loss[0]), total / count)
    saver.thread.join()


if __name__ == "__main__":
    main()
