import jax
import jax.numpy as jnp
import numpy as np
import optax
from flax import jax_utils

import step as steps


def main():
    tx = optax.sgd(0.1)
    params = jnp.zeros(5)
    opt = jax_utils.replicate(tx.init(params))
    params = jax_utils.replicate(params)
    run = steps.build(tx)
    rng = np.random.default_rng(0)
    n = jax.local_device_count()
    for _ in range(10):
        x = rng.normal(size=(n, 8, 5)).astype("f4")
        params, opt, loss = run(params, opt, {"x": x, "y": x.sum(-1)})
    print(float(loss[0]))


if __name__ == "__main__":
    main()
