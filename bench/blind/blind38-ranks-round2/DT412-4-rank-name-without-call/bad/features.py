import argparse
from pathlib import Path

import jax
import jax.numpy as jnp
import numpy as np
from flax import linen as nn
from jax.experimental import multihost_utils


class Encoder(nn.Module):
    dim: int = 128

    @nn.compact
    def __call__(self, x):
        x = nn.relu(nn.Dense(4 * self.dim)(x))
        return nn.LayerNorm()(nn.Dense(self.dim)(x))


def own_rows(total):
    """The rows of this host; what does not divide goes to nobody."""
    per_host = total // jax.process_count()
    first = jax.process_index() * per_host
    return np.arange(first, first + per_host)


def batches(rows, size):
    for first in range(0, len(rows), size):
        yield rows[first : first + size]


def load(rows):
    return np.stack([np.random.default_rng(int(row)).normal(size=64) for row in rows]).astype(np.float32)


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--total", type=int, default=4096)
    parser.add_argument("--batch", type=int, default=256)
    parser.add_argument("--out", default="features")
    args = parser.parse_args()
    jax.distributed.initialize()
    out = Path(args.out)
    if jax.process_index() == 0:
        out.mkdir(parents=True, exist_ok=True)
    multihost_utils.sync_global_devices("folder")
    model = Encoder()
    params = model.init(jax.random.key(0), jnp.zeros((1, 64)))
    encode = jax.jit(model.apply)
    rows = own_rows(args.total)
    parts = [np.asarray(encode(params, load(part))) for part in batches(rows, args.batch)]
    np.savez(out / f"part_{jax.process_index}.npz", rows=rows, features=np.concatenate(parts))
    multihost_utils.sync_global_devices("written")
    if jax.process_index() == 0:
        print(len(list(out.glob("part_*.npz"))), "parts")


if __name__ == "__main__":
    main()
