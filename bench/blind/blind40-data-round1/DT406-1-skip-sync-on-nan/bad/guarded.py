import jax
import jax.numpy as jnp
import numpy as np
import optax
from jax import lax
from jax.sharding import Mesh, PartitionSpec as P

AX = "dp"


def forward(params, x):
    h = jnp.tanh(x @ params["a"])
    return h @ params["b"]


def make_update(mesh, tx):
    def local_update(params, opt_state, x, y):
        def objective(p):
            return jnp.mean((forward(p, x) - y) ** 2)

        params_here = lax.pcast(params, AX, to="varying")
        grads = jax.grad(objective)(params_here)
        norm = optax.global_norm(grads)
        usable = jnp.isfinite(norm)

        def apply(_):
            mean = jax.tree.map(lambda g: lax.pmean(g, AX), grads)
            updates, fresh = tx.update(mean, opt_state, params)
            return optax.apply_updates(params, updates), fresh

        def skip(_):
            return params, opt_state

        return lax.cond(usable, apply, skip, None)

    return jax.jit(
        jax.shard_map(
            local_update,
            mesh=mesh,
            in_specs=(P(), P(), P(AX), P(AX)),
            out_specs=(P(), P()),
            check_vma=False,
        )
    )


def main(steps=100, rows=64):
    mesh = Mesh(np.asarray(jax.devices()), (AX,))
    tx = optax.chain(optax.clip_by_global_norm(5.0), optax.sgd(1e-2))
    k1, k2 = jax.random.split(jax.random.key(4))
    params = {"a": jax.random.normal(k1, (16, 64)) / 4, "b": jax.random.normal(k2, (64, 1)) / 8}
    opt_state = tx.init(params)
    update = make_update(mesh, tx)
    rng = np.random.default_rng(0)
    for _ in range(steps):
        x = rng.normal(size=(rows, 16)).astype(np.float32)
        params, opt_state = update(params, opt_state, x, x[:, :1] * 2)
    print("norm", float(optax.global_norm(params)))


if __name__ == "__main__":
    main()
