import argparse
import dataclasses

import jax
import numpy as np
import optax
from jax.sharding import NamedSharding, PartitionSpec as P

from sharded_step import build


@dataclasses.dataclass
class Sizes:
    vocab: int = 512
    width: int = 64
    length: int = 65


def init(key, sizes):
    ke, ku, kd = jax.random.split(key, 3)
    return {
        "embed": 0.02 * jax.random.normal(ke, (sizes.vocab, sizes.width)),
        "up": jax.random.normal(ku, (sizes.width, 4 * sizes.width)) / 8,
        "down": jax.random.normal(kd, (4 * sizes.width, sizes.width)) / 16,
    }


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--steps", type=int, default=300)
    parser.add_argument("--batch", type=int, default=32)
    args = parser.parse_args()

    sizes = Sizes()
    mesh = jax.make_mesh((jax.device_count(),), ("dp",))
    tx = optax.sgd(0.1)
    params = jax.device_put(init(jax.random.key(0), sizes), NamedSharding(mesh, P()))
    opt_state = tx.init(params)
    step = build(mesh, tx)
    draw = np.random.default_rng(0)
    for i in range(args.steps):
        ids = draw.integers(0, sizes.vocab, size=(args.batch, sizes.length))
        ids = jax.device_put(ids, NamedSharding(mesh, P("dp")))
        params, opt_state, loss = step(params, opt_state, ids)
        if i % 100 == 0:
            print(i, float(loss))


if __name__ == "__main__":
    main()
