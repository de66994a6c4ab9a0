import functools

import jax
import jax.numpy as jnp
import numpy as np
import optax
from flax import jax_utils

tx = optax.adam(1e-3)


@functools.partial(jax.pmap, axis_name="i", donate_argnums=(0, 1))
def step(params, opt, x, y):
    loss, grads = jax.value_and_grad(lambda p: jnp.mean((jnp.exp(x @ p) - y) ** 2))(params)

    def apply(operand):
        params, opt, grads = operand
        grads = jax.lax.pmean(grads, "i")
        up, opt = tx.update(grads, opt)
        return optax.apply_updates(params, up), opt

    def skip(operand):
        return operand[0], operand[1]

    ok = jnp.isfinite(loss)
    params, opt = jax.lax.cond(ok, apply, skip, (params, opt, grads))
    return params, opt, jax.lax.pmean(loss, "i")


def main(steps=100):
    n = jax.local_device_count()
    params = jnp.zeros(6)
    opt = jax_utils.replicate(tx.init(params))
    params = jax_utils.replicate(params)
    rng = np.random.default_rng(0)
    for _ in range(steps):
        x = rng.normal(size=(n, 32, 6)).astype(np.float32)
        params, opt, loss = step(params, opt, x, np.exp(x[..., 0]))
    print(float(loss[0]))


if __name__ == "__main__":
    main()
