import functools

import jax
import jax.numpy as jnp
import numpy as np
from flax import jax_utils


@functools.partial(jax.pmap, axis_name="i", static_broadcasted_argnums=(2,))
def inner_steps(w, x, n):
    def body(_, w):
        grad = jax.grad(lambda v: jnp.mean((x @ v - x.sum(-1)) ** 2))(w)
        return w - 0.05 * grad

    return jax.lax.pmean(jax.lax.fori_loop(0, n, body, w), "i")


def main(rounds=10, inner=4):
    w = jax_utils.replicate(jnp.zeros((5,)))
    n = jax.local_device_count()
    rng = np.random.default_rng(0)
    for _ in range(rounds):
        w = inner_steps(w, rng.normal(size=(n, 16, 5)).astype(np.float32), inner)
    print(np.asarray(w[0]))


if __name__ == "__main__":
    main()
