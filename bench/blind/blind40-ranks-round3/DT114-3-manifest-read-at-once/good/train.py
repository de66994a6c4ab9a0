import sys
from pathlib import Path

import jax

jax.distributed.initialize()

import jax.numpy as jnp
import numpy as np
import optax
from jax.sharding import Mesh, NamedSharding, PartitionSpec as P

from vocab import build


def windows(ids, length, batch, rng):
    while True:
        at = rng.integers(0, len(ids) - length - 1, size=batch)
        yield np.stack([ids[a : a + length + 1] for a in at])


def init(key, vocab, width=32):
    k_embed, k_out = jax.random.split(key)
    return {"embed": 0.1 * jax.random.normal(k_embed, (vocab, width)), "out": 0.1 * jax.random.normal(k_out, (width, vocab))}


def loss_fn(params, ids):
    h = jnp.cumsum(params["embed"][ids[:, :-1]], axis=1) / jnp.arange(1, ids.shape[1])[None, :, None]
    logits = h @ params["out"]
    return optax.softmax_cross_entropy_with_integer_labels(logits, ids[:, 1:]).mean()


def main(corpus, steps=400, per_host=16, length=32):
    vocab = build(corpus, "vocab.json")
    mesh = Mesh(np.array(jax.devices()), ("batch",))
    rows, whole = NamedSharding(mesh, P("batch")), NamedSharding(mesh, P())
    params = jax.jit(init, static_argnums=1, out_shardings=whole)(jax.random.key(0), len(vocab))
    ids = np.array(vocab.encode(Path(corpus).read_text()), dtype=np.int32)

    @jax.jit
    def step(params, batch):
        loss, grads = jax.value_and_grad(loss_fn)(params, batch)
        return jax.tree.map(lambda p, g: p - 0.3 * g, params, grads), loss

    stream = windows(ids, length, per_host, np.random.default_rng([5, jax.process_index()]))
    for i, local in zip(range(steps), stream):
        params, loss = step(params, jax.make_array_from_process_local_data(rows, local))
        if i % 100 == 0 and jax.process_index() == 0:
            print(i, float(loss))


if __name__ == "__main__":
    main(sys.argv[1])
