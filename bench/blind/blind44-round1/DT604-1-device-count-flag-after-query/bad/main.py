import sys

import jax
import numpy as np
from flax import jax_utils

from hostdev import model
from hostdev.setup import cpu_devices


def main(n):
    devices = cpu_devices(n)
    params = jax_utils.replicate(model.init(jax.random.PRNGKey(0)), devices)

    def step(params, x, y):
        grads = jax.lax.pmean(jax.grad(model.loss)(params, x, y), "d")
        return jax.tree.map(lambda p, g: p - 0.1 * g, params, grads)

    step = jax.pmap(step, axis_name="d", devices=devices)
    rng = np.random.default_rng(0)
    for _ in range(20):
        x = rng.normal(size=(len(devices), 16, 5)).astype(np.float32)
        params = step(params, x, x.sum(-1))
    print(jax.tree.map(lambda a: np.asarray(a[0]), params))


if __name__ == "__main__":
    main(int(sys.argv[1]) if len(sys.argv) > 1 else 4)
