import jax
import jax.numpy as jnp
import numpy as np
import optax
from flax import jax_utils

tx = optax.sgd(0.1)


def update(p, opt, x, key):
    mask = jax.random.bernoulli(key, 0.9, x.shape)
    loss, g = jax.value_and_grad(lambda w: jnp.mean(((x * mask) @ w - x.sum(-1)) ** 2))(p)
    g = jax.lax.pmean(g, "d")
    up, opt = tx.update(g, opt)
    return optax.apply_updates(p, up), opt, jax.lax.pmean(loss, "d")


def main(steps=100):
    jax.distributed.initialize()
    p_update = jax.pmap(update, axis_name="d")
    p = jnp.zeros(9)
    opt = jax_utils.replicate(tx.init(p))
    p = jax_utils.replicate(p)
    key = jax.random.fold_in(jax.random.PRNGKey(0), jax.process_index())
    rng = np.random.default_rng([1, jax.process_index()])
    for _ in range(steps):
        key, sub = jax.random.split(key)
        keys = jax.random.split(sub, jax.device_count())
        x = rng.normal(size=(jax.local_device_count(), 16, 9)).astype(np.float32)
        p, opt, loss = p_update(p, opt, x, keys)
    if jax.process_index() == 0:
        print(float(loss[0]))


if __name__ == "__main__":
    main()
