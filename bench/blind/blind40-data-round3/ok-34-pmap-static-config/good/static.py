import dataclasses
import functools

import jax
import jax.numpy as jnp
import numpy as np
import optax
from flax import jax_utils
from flax.training import common_utils


@dataclasses.dataclass(frozen=True)
class Options:
    drop: float = 0.1
    l2: float = 1e-4


tx = optax.scale_by_adam()


@functools.partial(
    jax.pmap,
    axis_name="b",
    in_axes=(0, 0, 0, 0, None, None),
    static_broadcasted_argnums=(5,),
    donate_argnums=(0, 1),
)
def step(params, opt_state, batch, key, rate, options):
    keep = jax.random.bernoulli(key, 1 - options.drop, batch["x"].shape)

    def loss_fn(p):
        x = jnp.where(keep, batch["x"], 0) / (1 - options.drop)
        pred = jnp.tanh(x @ p["w"]) @ p["v"]
        return jnp.mean((pred - batch["y"]) ** 2) + options.l2 * jnp.sum(p["w"] ** 2)

    grads = jax.lax.pmean(jax.grad(loss_fn)(params), "b")
    updates, opt_state = tx.update(grads, opt_state)
    return jax.tree.map(lambda p, u: p - rate * u, params, updates), opt_state


def main(steps=200, batch=128):
    k1, k2, key = jax.random.split(jax.random.key(0), 3)
    params = {"w": jax.random.normal(k1, (6, 32)) / 2, "v": jax.random.normal(k2, (32,)) / 6}
    opt_state = jax_utils.replicate(tx.init(params))
    params = jax_utils.replicate(params)
    rng = np.random.default_rng(0)
    options = Options()
    for i in range(steps):
        x = rng.normal(size=(batch, 6)).astype(np.float32)
        shards = common_utils.shard({"x": x, "y": x[:, 0] - x[:, 1]})
        key, sub = jax.random.split(key)
        keys = jax.random.split(sub, jax.local_device_count())
        params, opt_state = step(params, opt_state, shards, keys, 1e-2 * 0.99**i, options)
    print(jax.tree.map(np.shape, jax_utils.unreplicate(params)))


if __name__ == "__main__":
    main()
