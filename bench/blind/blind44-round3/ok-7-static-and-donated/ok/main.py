import jax
import numpy as np
from flax import jax_utils
from flax.training.common_utils import shard, shard_prng_key

from mapped.step import step, tx


def main(steps=20, batch=64, dim=6):
    key, ka, kb = jax.random.split(jax.random.PRNGKey(0), 3)
    params = {"a": jax.random.normal(ka, (dim, 32)) / 2, "b": jax.random.normal(kb, (32, 1)) / 5}
    carry = jax_utils.replicate((params, tx.init(params)))
    rng = np.random.default_rng(0)
    losses = []
    for _ in range(steps):
        key, sub = jax.random.split(key)
        x = rng.normal(size=(batch, dim)).astype(np.float32)
        carry, loss = step(carry, shard(x), shard_prng_key(sub), True)
        losses.append(loss)
    print([float(v[0]) for v in losses[-3:]])


if __name__ == "__main__":
    main()
