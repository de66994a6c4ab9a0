"""Byte-level LM; documents are tokenised by a process pool while the device trains."""
import multiprocessing as mp
import pathlib

import jax
import jax.numpy as jnp
import numpy as np
import optax
from jax.sharding import NamedSharding, PartitionSpec as P

SEQ, WIDTH = 128, 64


def encode(path):
    raw = np.frombuffer(pathlib.Path(path).read_bytes(), dtype=np.uint8)
    rows = len(raw) // (SEQ + 1)
    return raw[: rows * (SEQ + 1)].reshape(rows, SEQ + 1).astype(np.int32)


def documents(pool, root, batch):
    left = np.zeros((0, SEQ + 1), np.int32)
    for rows in pool.imap(encode, sorted(map(str, pathlib.Path(root).glob("*.txt")))):
        left = np.concatenate([left, rows])
        while len(left) >= batch:
            yield left[:batch]
            left = left[batch:]


def init(key):
    emb, out = jax.random.split(key)
    return {"emb": 0.05 * jax.random.normal(emb, (256, WIDTH)), "out": 0.05 * jax.random.normal(out, (WIDTH, 256))}


def loss_fn(params, tokens):
    h = jnp.cumsum(params["emb"][tokens[:, :-1]], axis=1) / jnp.arange(1, SEQ + 1)[None, :, None]
    return optax.softmax_cross_entropy_with_integer_labels(jnp.tanh(h) @ params["out"], tokens[:, 1:]).mean()


def main(root="books", batch=64, workers=8):
    mesh = jax.make_mesh((len(jax.devices()),), ("data",))
    rows = NamedSharding(mesh, P("data"))
    params = jax.device_put(init(jax.random.key(0)), NamedSharding(mesh, P()))
    tx = optax.adam(1e-3)
    opt_state = tx.init(params)

    @jax.jit
    def update(params, opt_state, tokens):
        loss, grads = jax.value_and_grad(loss_fn)(params, tokens)
        updates, opt_state = tx.update(grads, opt_state)
        return optax.apply_updates(params, updates), opt_state, loss

    with mp.Pool(workers) as pool:
        for step, tokens in enumerate(documents(pool, root, batch)):
            params, opt_state, loss = update(params, opt_state, jax.device_put(tokens, rows))
            if step % 100 == 0:
                print(step, float(loss))


if __name__ == "__main__":
    main()
