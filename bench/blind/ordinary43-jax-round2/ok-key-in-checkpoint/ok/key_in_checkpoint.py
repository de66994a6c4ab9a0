"""Key data in the checkpoint: key_data / wrap_key_data, resume goes on with the same stream."""
import pathlib
import pickle
import tempfile

import jax
import jax.numpy as jnp
import numpy as np


def save(path, step, w, key):
    blob = {"step": step, "w": np.asarray(w), "key": np.asarray(jax.random.key_data(key))}
    tmp = path.with_suffix(".tmp")
    tmp.write_bytes(pickle.dumps(blob))
    tmp.rename(path)


def load(path):
    blob = pickle.loads(path.read_bytes())
    return blob["step"], jnp.asarray(blob["w"]), jax.random.wrap_key_data(blob["key"])


@jax.jit
def step_fn(w, key):
    key, sub = jax.random.split(key)
    x = jax.random.normal(sub, (8, w.size))
    return w - 0.1 * jax.grad(lambda w: jnp.mean((x @ w - 1) ** 2))(w), key


def run(path, until):
    if path.exists():
        start, w, key = load(path)
    else:
        start, key = 0, jax.random.key(0)
        key, init_key = jax.random.split(key)
        w = jax.random.normal(init_key, (4,))
    for step in range(start, until):
        w, key = step_fn(w, key)
        if (step + 1) % 5 == 0 and jax.process_index() == 0:
            save(path, step + 1, w, key)
    return w


if __name__ == "__main__":
    folder = pathlib.Path(tempfile.mkdtemp())
    run(folder / "a.pkl", 10)
    resumed = run(folder / "a.pkl", 20)
    straight = run(folder / "b.pkl", 20)
    np.testing.assert_allclose(resumed, straight)
