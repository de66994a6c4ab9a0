from functools import partial

import jax
import jax.numpy as jnp
import numpy as np

from steps import update


def make(lr):
    return jax.pmap(
        partial(update, lr),
        axis_name="i",
        static_broadcasted_argnums=(4,),
    )


def main(steps=10):
    n = jax.local_device_count()
    k1, k2 = jax.random.split(jax.random.PRNGKey(0))
    params = {"w": 0.3 * jax.random.normal(k1, (4, 12)), "v": 0.3 * jax.random.normal(k2, (12,))}
    params = jax.tree.map(lambda p: jnp.broadcast_to(p, (n, *p.shape)), params)
    p_update = make(0.1)
    rng = np.random.default_rng(0)
    for step in range(steps):
        x = rng.normal(size=(n, 16, 4)).astype(np.float32)
        mask = (rng.random((n, 16)) < 0.9).astype(np.float32)
        params, loss = p_update(params, x, mask, "l1" if step < 5 else "l2")
    print(float(loss[0]))


if __name__ == "__main__":
    main()
