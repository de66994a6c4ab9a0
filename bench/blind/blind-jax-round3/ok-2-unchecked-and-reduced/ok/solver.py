import functools

import jax
import jax.numpy as jnp
import numpy as np
import optax
from jax import lax
from jax.sharding import Mesh, NamedSharding, PartitionSpec as P


def refine(params, x, y, tolerance, axis):
    """Gradient steps until the mean residual is small or thirty are made."""

    def loss_fn(p):
        return jnp.mean((x @ p - y) ** 2)

    def body(carry):
        params, _, count = carry
        loss, grads = jax.value_and_grad(loss_fn)(params)
        loss, grads = lax.pmean((loss, grads), axis)
        return params - 0.1 * grads, loss, count + 1

    def going_on(carry):
        _, loss, count = carry
        return (loss > tolerance) & (count < 30)

    start = lax.pmean(loss_fn(params), axis)
    params, loss, count = lax.while_loop(going_on, body, (params, start, 0))
    return params, loss, count, (x @ params - y) ** 2


def main():
    mesh = Mesh(np.array(jax.devices()), ("s",))
    rows = NamedSharding(mesh, P("s"))
    solve = jax.jit(
        jax.shard_map(
            functools.partial(refine, tolerance=1e-3, axis="s"),
            mesh=mesh,
            in_specs=(P(), P("s"), P("s")),
            out_specs=(P(), P(), P(), P("s")),
            check_vma=False,
        ),
        donate_argnums=(0,),
    )
    rng = np.random.default_rng(0)
    params = jax.device_put(jnp.zeros((4,)), NamedSharding(mesh, P()))
    for _ in range(3):
        x = rng.normal(size=(32, 4)).astype(np.float32)
        x, y = jax.device_put((x, x @ np.arange(4, dtype=np.float32)), rows)
        params, loss, count, residuals = solve(params, x, y)
    print("loss", float(loss), "after", int(count), "worst", float(residuals.max()))


if __name__ == "__main__":
    main()
