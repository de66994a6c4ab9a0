"""Early stopping on validation loss; the best parameters are written at the end."""
import argparse
import pathlib

import jax
import jax.numpy as jnp
import numpy as np
import optax
from flax import jax_utils, serialization
from flax.training.train_state import TrainState


class Patience:
    def __init__(self, rounds):
        self.rounds, self.left = rounds, rounds
        self.best_loss, self.best_params = float("inf"), None

    def update(self, loss, params):
        """True while training should go on."""
        if loss < self.best_loss:
            self.best_loss, self.best_params, self.left = loss, params, self.rounds
        else:
            self.left -= 1
        return self.left > 0


def predict(params, x):
    return (jnp.tanh(x @ params["w1"]) @ params["w2"])[..., 0]


def init(key, dim):
    k1, k2 = jax.random.split(key)
    return {"w1": jax.random.normal(k1, (dim, 64)) * dim**-0.5, "w2": jax.random.normal(k2, (64, 1)) / 8}


def train_step(state, x, y):
    grads = jax.grad(lambda p: jnp.mean((state.apply_fn(p, x) - y) ** 2))(state.params)
    return state.apply_gradients(grads=jax.lax.pmean(grads, "b"))


def valid_step(state, x, y):
    return jax.lax.pmean(jnp.mean((state.apply_fn(state.params, x) - y) ** 2), "b")


def spread(array):
    return array.reshape(jax.local_device_count(), -1, *array.shape[1:])


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--rounds", type=int, default=5)
    parser.add_argument("--max-epochs", type=int, default=100)
    parser.add_argument("--out", type=pathlib.Path, default=pathlib.Path("best.msgpack"))
    args = parser.parse_args()
    rng = np.random.default_rng(3)
    x = rng.normal(size=(4096, 20)).astype(np.float32)
    y = np.sin(x).sum(-1)
    state = TrainState.create(apply_fn=predict, params=init(jax.random.key(0), 20), tx=optax.adam(1e-2))
    state = jax_utils.replicate(state)
    p_train = jax.pmap(train_step, axis_name="b", donate_argnums=0)
    p_valid = jax.pmap(valid_step, axis_name="b")
    patience = Patience(args.rounds)
    for epoch in range(args.max_epochs):
        for start in range(0, 3584, 512):
            rows = slice(start, start + 512)
            state = p_train(state, spread(x[rows]), spread(y[rows]))
        loss = float(p_valid(state, spread(x[3584:]), spread(y[3584:]))[0])
        if not patience.update(loss, jax.device_get(state.params)):
            break
    args.out.write_bytes(serialization.to_bytes(patience.best_params))
    print(f"best {patience.best_loss:.5f} after {epoch + 1} epochs")


if __name__ == "__main__":
    main()
