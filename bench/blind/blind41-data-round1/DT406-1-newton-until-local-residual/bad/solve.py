import jax
import jax.numpy as jnp
import numpy as np
from jax import lax
from jax.sharding import Mesh, NamedSharding, PartitionSpec as P


def logistic(w, x, y):
    p = jax.nn.sigmoid(x @ w)
    return x.T @ (p - y), (x * (p * (1 - p))[:, None]).T @ x


def solve_local(w, x, y):
    def keep_going(carry):
        _, size, i = carry
        return (size > 1e-4) & (i < 50)

    def newton(carry):
        w, _, i = carry
        g, h = logistic(w, x, y)
        size = jnp.linalg.norm(g)
        g, h = lax.psum((g, h), "rows")
        w = w - jnp.linalg.solve(h + 1e-3 * jnp.eye(h.shape[0]), g + 1e-3 * w)
        return w, size, i + 1

    start = (w, jnp.asarray(jnp.inf, x.dtype), 0)
    w, _, iterations = lax.while_loop(keep_going, newton, start)
    return w, iterations


def main(n=4096, d=8):
    mesh = Mesh(np.asarray(jax.devices()), ("rows",))
    rng = np.random.default_rng(0)
    x = rng.normal(size=(n, d)).astype(np.float32)
    y = (x[:, 0] + 0.3 * rng.normal(size=n) > 0).astype(np.float32)
    x, y = jax.device_put((x, y), NamedSharding(mesh, P("rows")))
    fit = jax.jit(
        jax.shard_map(
            solve_local, mesh=mesh, in_specs=(P(), P("rows"), P("rows")), out_specs=(P(), P()), check_vma=False
        )
    )
    w, iterations = fit(jnp.zeros(d), x, y)
    print(w, int(iterations))


if __name__ == "__main__":
    main()
