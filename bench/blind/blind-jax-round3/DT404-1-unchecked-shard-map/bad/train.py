import argparse

import jax
import jax.numpy as jnp
import numpy as np
import optax
from jax import lax
from jax.sharding import NamedSharding, PartitionSpec as P

from fused import loss_fn


def make_step(mesh, tx):
    def shard_step(params, opt_state, x, y):
        loss, grads = jax.value_and_grad(loss_fn)(params, x, y)
        updates, opt_state = tx.update(grads, opt_state, params)
        params = optax.apply_updates(params, updates)
        return params, opt_state, lax.pmean(loss, "batch")

    specs = (P(), P(), P("batch"), P("batch"))
    mapped = jax.shard_map(shard_step, mesh=mesh, in_specs=specs, out_specs=(P(), P(), P()), check_vma=False)
    return jax.jit(mapped, donate_argnums=(0, 1))


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--steps", type=int, default=20)
    parser.add_argument("--rows", type=int, default=64)
    args = parser.parse_args()
    mesh = jax.make_mesh((jax.device_count(),), ("batch",))
    tx = optax.adamw(1e-3)
    k1, k2 = jax.random.split(jax.random.key(0))
    params = {"w": jax.random.normal(k1, (6, 32)) * 0.3, "b": jnp.zeros((32,)), "v": jax.random.normal(k2, (32,)) * 0.2}
    params, opt_state = jax.device_put((params, tx.init(params)), NamedSharding(mesh, P()))
    step = make_step(mesh, tx)
    rng = np.random.default_rng(0)
    for _ in range(args.steps):
        x = rng.normal(size=(args.rows, 6)).astype(np.float32)
        x, y = jax.device_put((x, x.max(-1)), NamedSharding(mesh, P("batch")))
        params, opt_state, loss = step(params, opt_state, x, y)
    print("loss", float(loss))


if __name__ == "__main__":
    main()
