import jax
import jax.numpy as jnp
import numpy as np
from jax.sharding import Mesh, NamedSharding, PartitionSpec as P

import settings

settings.apply(double=True)


@jax.jit
def newton(w, x, y):
    residual = x @ w - y
    hessian = x.T @ x / x.shape[0] + 1e-9 * jnp.eye(x.shape[1])
    return w - jnp.linalg.solve(hessian, x.T @ residual / x.shape[0])


def main():
    mesh = Mesh(np.array(jax.devices()), ("rows",))
    rng = np.random.default_rng(0)
    x = rng.normal(size=(64 * jax.device_count(), 5))
    y = x @ np.arange(5.0)
    w = jax.device_put(jnp.zeros(5), NamedSharding(mesh, P()))
    for _ in range(3):
        w = newton(w, jax.device_put(x, NamedSharding(mesh, P("rows"))), jax.device_put(y, NamedSharding(mesh, P("rows"))))
    print(np.asarray(w))


if __name__ == "__main__":
    main()
