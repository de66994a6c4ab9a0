import argparse
import dataclasses
import logging

import jax
import jax.numpy as jnp
import numpy as np
import optax


@dataclasses.dataclass
class Source:
    """One of `shards` equal parts of a synthetic log; without a number, the part of this host."""

    seed: int
    shards: int | None = None
    shard: int | None = None
    rows: int = 4096

    def __post_init__(self):
        self.shards = self.shards or jax.process_count()
        self.shard = jax.process_index() if self.shard is None else self.shard
        if not 0 <= self.shard < self.shards:
            raise ValueError(f"shard {self.shard} of {self.shards}")

    def __iter__(self):
        rng = np.random.default_rng(self.seed)
        x = rng.normal(size=(self.rows, 8)).astype(np.float32)
        y = (x[:, 0] - x[:, 1] > 0).astype(np.float32)
        per = self.rows // self.shards
        mine = slice(self.shard * per, (self.shard + 1) * per)
        yield from zip(np.array_split(x[mine], per // 64), np.array_split(y[mine], per // 64))


def init(key):
    return {"w": jax.random.normal(key, (8,)) * 0.1, "b": jnp.zeros(())}


def loss_fn(params, x, y):
    logit = x @ params["w"] + params["b"]
    return optax.sigmoid_binary_cross_entropy(logit, y).mean()


def train(source, tx, passes):
    params = init(jax.random.key(0))
    state = tx.init(params)

    @jax.jit
    def step(params, state, x, y):
        loss, grads = jax.value_and_grad(loss_fn)(params, x, y)
        updates, state = tx.update(grads, state, params)
        return optax.apply_updates(params, updates), state, loss

    for _ in range(passes):
        for x, y in source:
            params, state, loss = step(params, state, x, y)
    return params, loss


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--shard", type=int, default=None, help="replay this part, whoever had it in the run")
    parser.add_argument("--shards", type=int, default=None)
    parser.add_argument("--passes", type=int, default=2)
    args = parser.parse_args()
    logging.basicConfig(level=logging.INFO)
    jax.distributed.initialize()
    source = Source(seed=3, shards=args.shards, shard=args.shard)
    params, loss = train(source, optax.adam(1e-2), args.passes)
    logging.info("host %d shard %d loss %.4f", jax.process_index(), source.shard, float(loss))
    np.savez(f"replay_{jax.process_index():03d}.npz", **jax.tree.map(np.asarray, params))


if __name__ == "__main__":
    main()
