"""GPipe in shard_map: stages by axis_index, microbatches through ppermute, output from the last stage by psum."""
from functools import partial

import jax
import jax.numpy as jnp
import numpy as np
from jax.sharding import Mesh
from jax.sharding import PartitionSpec as P

mesh = Mesh(np.array(jax.devices()), ("stage",))
S = mesh.shape["stage"]


def stage_fn(w, x):
    return jnp.tanh(x @ w)


def pipeline(w, micro):
    w = w[0]
    idx = jax.lax.axis_index("stage")
    m = micro.shape[0]
    perm = [(i, i + 1) for i in range(S - 1)]
    zero = jax.lax.pcast(jnp.zeros_like(micro[0]), "stage", to="varying") if hasattr(jax.lax, "pcast") else jnp.zeros_like(micro[0])

    def tick(carry, t):
        feed = jnp.where(t < m, micro[jnp.minimum(t, m - 1)], 0.0)
        x = jnp.where(idx == 0, feed, carry)
        y = stage_fn(w, x)
        return jax.lax.ppermute(y, "stage", perm), jnp.where(idx == S - 1, y, 0.0)

    _, outs = jax.lax.scan(tick, zero, jnp.arange(m + S - 1))
    return jax.lax.psum(outs[S - 1 :], "stage")


forward = jax.shard_map(pipeline, mesh=mesh, in_specs=(P("stage"), P()), out_specs=P())


@jax.jit
def step(w, micro, y):
    loss, g = jax.value_and_grad(lambda w: jnp.mean((forward(w, micro) - y) ** 2))(w)
    return w - 0.1 * g, loss


def main():
    w_key, x_key = jax.random.split(jax.random.key(0))
    w = jax.random.normal(w_key, (S, 8, 8)) * 0.5
    micro = jax.random.normal(x_key, (6, 4, 8))
    for _ in range(5):
        w, loss = step(w, micro, jnp.roll(micro, 1, -1))
    print(float(loss))


if __name__ == "__main__":
    main()
