"""Helpers that take the axis name, collectives as no-ops without one; the same step under jit, vmap and shard_map."""
import functools
from typing import Optional

import jax
import jax.numpy as jnp
import numpy as np
from jax.sharding import Mesh
from jax.sharding import PartitionSpec as P


def pmean_if(x, axis: Optional[str]):
    return jax.lax.pmean(x, axis) if axis is not None else x


def index_or_zero(axis):
    return jax.lax.axis_index(axis) if axis is not None else 0


def grads_of(w, x, y, key, *, axis=None):
    key = jax.random.fold_in(key, index_or_zero(axis))
    keep = jax.random.bernoulli(key, 0.9, x.shape)

    def loss_fn(w):
        return jnp.mean(((x * keep) @ w - y) ** 2)

    loss, g = jax.value_and_grad(loss_fn)(w)
    return pmean_if(loss, axis), pmean_if(g, axis)


def main():
    n = jax.device_count()
    mesh = Mesh(np.array(jax.devices()), ("dp",))
    x_key, d_key = jax.random.split(jax.random.key(0))
    x = jax.random.normal(x_key, (8 * n, 4))
    y = x.sum(1)
    w = jnp.zeros(4)
    alone = jax.jit(grads_of)
    mapped = jax.jit(
        jax.shard_map(functools.partial(grads_of, axis="dp"), mesh=mesh, in_specs=(P(), P("dp"), P("dp"), P()), out_specs=P(), check_vma=False)
    )
    stacked = jax.jit(jax.vmap(functools.partial(grads_of, axis="v"), in_axes=(None, 0, 0, None), axis_name="v"))
    for i in range(5):
        key = jax.random.fold_in(d_key, i)
        loss, g = mapped(w, x, y, key)
        w = w - 0.1 * g
    one, _ = alone(w, x, y, jax.random.fold_in(d_key, 100))
    many, _ = stacked(w, x.reshape(n, 8, 4), y.reshape(n, 8), jax.random.fold_in(d_key, 101))
    print(float(loss), float(one), many[0])


if __name__ == "__main__":
    main()
