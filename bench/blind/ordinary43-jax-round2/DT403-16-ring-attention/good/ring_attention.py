"""Ring attention over a sequence axis with ppermute in a fori_loop."""
from functools import partial

import jax
import jax.numpy as jnp
from jax.sharding import Mesh
from jax.sharding import PartitionSpec as P

mesh = Mesh(jax.devices(), ("seq",))


def ring_attention(q, k, v, *, axis, size):
    scale = q.shape[-1] ** -0.5
    perm = [(i, (i + 1) % size) for i in range(size)]

    def body(_, carry):
        num, den, peak, k, v = carry
        scores = q @ k.T * scale
        new_peak = jnp.maximum(peak, scores.max(-1))
        w = jnp.exp(scores - new_peak[:, None])
        fix = jnp.exp(peak - new_peak)
        num = num * fix[:, None] + w @ v
        den = den * fix + w.sum(-1)
        k, v = jax.lax.ppermute((k, v), axis, perm)
        return num, den, new_peak, k, v

    init = (jnp.zeros_like(q), q[:, 0] * 0, q[:, 0] * 0 - 1e30, k, v)
    num, den, *_ = jax.lax.fori_loop(0, size, body, init)
    return num / den[:, None]


def main():
    n = mesh.shape["seq"]
    sharded = jax.jit(
        jax.shard_map(partial(ring_attention, axis="seq", size=n), mesh=mesh, in_specs=P("seq"), out_specs=P("seq"))
    )
    q, k, v = (jax.random.normal(key, (8 * n, 16)) for key in jax.random.split(jax.random.key(0), 3))
    out = sharded(q, k, v)
    ref = jax.nn.softmax(q @ k.T * 16**-0.5) @ v
    print(float(jnp.abs(out - ref).max()))


if __name__ == "__main__":
    main()
