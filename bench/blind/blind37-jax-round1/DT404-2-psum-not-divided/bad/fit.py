import argparse
import functools

import equinox as eqx
import jax
import jax.numpy as jnp
import numpy as np
import optax
from jax.experimental.shard_map import shard_map
from jax.sharding import Mesh, PartitionSpec as P

from mlp_eqx import Tower


def squared_error(model, x, y):
    return jnp.mean((jax.vmap(model)(x) - y) ** 2)


def make_step(mesh, tx):
    def local_step(params, static, opt_state, x, y):
        model = eqx.combine(params, static)
        loss, grads = eqx.filter_value_and_grad(squared_error)(model, x, y)
        grads = jax.tree.map(lambda g: jax.lax.psum(g, "dp"), grads)
        updates, opt_state = tx.update(grads, opt_state, params)
        return eqx.apply_updates(params, updates), opt_state, jax.lax.pmean(loss, "dp")

    @eqx.filter_jit
    def step(model, opt_state, x, y):
        params, static = eqx.partition(model, eqx.is_inexact_array)
        mapped = shard_map(
            lambda p, o, a, b: local_step(p, static, o, a, b),
            mesh=mesh,
            in_specs=(P(), P(), P("dp"), P("dp")),
            out_specs=(P(), P(), P()),
            check_rep=False,
        )
        params, opt_state, loss = mapped(params, opt_state, x, y)
        return eqx.combine(params, static), opt_state, loss

    return step


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--batch", type=int, default=512)
    parser.add_argument("--steps", type=int, default=200)
    parser.add_argument("--lr", type=float, default=0.05)
    args = parser.parse_args()

    mesh = Mesh(np.array(jax.devices()), ("dp",))
    model = Tower(64, 3, key=jax.random.key(9))
    tx = optax.sgd(args.lr, momentum=0.9)
    opt_state = tx.init(eqx.filter(model, eqx.is_inexact_array))
    step = make_step(mesh, tx)
    draw = np.random.default_rng(0)
    for i in range(args.steps):
        x = draw.normal(size=(args.batch, 20)).astype(np.float32)
        model, opt_state, loss = step(model, opt_state, x, np.sin(x).sum(-1))
        if i % 50 == 0:
            print(i, float(loss))
    eqx.tree_serialise_leaves("tower.eqx", model)


if __name__ == "__main__":
    main()
