import jax
import jax.numpy as jnp
import numpy as np
import optax
from flax import jax_utils
from flax.training.common_utils import shard, shard_prng_key

tx = optax.adamw(1e-3)


def forward(params, x, key):
    h = jax.nn.gelu(x @ params["up"])
    keep = jax.random.bernoulli(key, 0.9, h.shape)
    return jnp.where(keep, h / 0.9, 0.0) @ params["down"]


def train_step(params, opt_state, batch, key):
    def loss_fn(p):
        return jnp.mean((forward(p, batch["x"], key)[:, 0] - batch["y"]) ** 2)

    grads = jax.lax.pmean(jax.grad(loss_fn)(params), "batch")
    updates, opt_state = tx.update(grads, opt_state, params)
    return optax.apply_updates(params, updates), opt_state


def main(steps=20, batch_size=64):
    k1, k2, key = jax.random.split(jax.random.PRNGKey(0), 3)
    params = {"up": 0.1 * jax.random.normal(k1, (8, 32)), "down": 0.1 * jax.random.normal(k2, (32, 1))}
    opt_state = jax_utils.replicate(tx.init(params))
    params = jax_utils.replicate(params)
    p_step = jax.pmap(train_step, axis_name="batch", donate_argnums=(0, 1))
    rng = np.random.default_rng(0)
    for step in range(steps):
        x = rng.normal(size=(batch_size, 8)).astype(np.float32)
        keys = shard_prng_key(jax.random.fold_in(key, step))
        params, opt_state = p_step(params, opt_state, shard({"x": x, "y": x[:, 0]}), keys)
    return jax_utils.unreplicate(params)


if __name__ == "__main__":
    main()
