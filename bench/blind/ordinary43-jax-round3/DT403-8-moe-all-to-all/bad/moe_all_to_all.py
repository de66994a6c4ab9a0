"""Mixture of experts: top-1 routing with capacity, all_to_all over the expert axis."""
from functools import partial

import jax
import jax.numpy as jnp
from jax.sharding import Mesh
from jax.sharding import PartitionSpec as P

mesh = Mesh(jax.devices(), ("expert",))
E = mesh.shape["expert"]
CAP = 4


def route(logits):
    choice = jax.nn.one_hot(logits.argmax(-1), E)
    place = (jnp.cumsum(choice, 0) - 1) * choice
    keep = (place < CAP) * choice
    return jax.nn.one_hot(place.sum(-1), CAP)[:, None, :] * keep[:, :, None]


@jax.jit
@partial(jax.shard_map, mesh=mesh, in_specs=(P("expert"), P(), P("expert")), out_specs=(P("expert"), P()))
def moe(x, router, experts):
    dispatch = route(x @ router)
    sent = jnp.einsum("tec,td->ecd", dispatch, x)
    got = jax.lax.all_to_all(sent, "experts", split_axis=0, concat_axis=1, tiled=True)
    out = jnp.tanh(got @ experts[0])
    back = jax.lax.all_to_all(out, "expert", split_axis=1, concat_axis=0, tiled=True)
    y = jnp.einsum("tec,ecd->td", dispatch, back)
    load = jax.lax.pmean(dispatch.sum((0, 2)), "expert")
    return x + y, load


def main():
    xk, rk, ek = jax.random.split(jax.random.key(0), 3)
    x = jax.random.normal(xk, (8 * E, 16))
    router = jax.random.normal(rk, (16, E))
    experts = jax.random.normal(ek, (E, 16, 16)) * 0.1
    y, load = moe(x, router, experts)
    print(y.shape, load)


if __name__ == "__main__":
    main()
