"""Expert-parallel layer with all_to_all inside shard_map."""
import functools

import jax
import jax.numpy as jnp
import numpy as np
from jax import lax
from jax.sharding import Mesh, PartitionSpec as P

DP, EP = "dp", "ep"


def build_mesh(expert_parallel):
    grid = np.asarray(jax.devices()).reshape(-1, expert_parallel)
    return Mesh(grid, (DP, EP))


def moe(mesh, capacity):
    specs = dict(tokens=P((DP, EP)), gate=P(), up=P("expert"), down=P("expert"))

    @functools.partial(
        jax.shard_map,
        mesh=mesh,
        in_specs=(specs["tokens"], specs["gate"], specs["up"], specs["down"]),
        out_specs=specs["tokens"],
        check_vma=False,
    )
    def layer(tokens, gate, up, down):
        experts = gate.shape[1]
        choice = jnp.argmax(tokens @ gate, -1)
        slot = jnp.cumsum(jax.nn.one_hot(choice, experts, dtype=jnp.int32), 0)[jnp.arange(len(tokens)), choice] - 1
        kept = slot < capacity
        where = jnp.where(kept, slot, capacity - 1)
        buffer = jnp.zeros((experts, capacity, tokens.shape[1])).at[choice, where].add(tokens * kept[:, None])
        buffer = lax.all_to_all(buffer, EP, 0, 1, tiled=True)
        hidden = jax.nn.gelu(jnp.einsum("ecd,edh->ech", buffer, up))
        buffer = lax.all_to_all(jnp.einsum("ech,ehd->ecd", hidden, down), EP, 1, 0, tiled=True)
        return tokens + buffer[choice, where] * kept[:, None]

    return jax.jit(layer)


def main(dim=16, experts=4, rows=64):
    mesh = build_mesh(expert_parallel=2)
    k = jax.random.split(jax.random.key(0), 3)
    gate = jax.random.normal(k[0], (dim, experts))
    up = jax.random.normal(k[1], (experts, dim, 4 * dim)) / dim**0.5
    down = jax.random.normal(k[2], (experts, 4 * dim, dim)) / (4 * dim) ** 0.5
    tokens = np.random.default_rng(0).normal(size=(rows, dim)).astype(np.float32)
    out = moe(mesh, capacity=8)(tokens, gate, up, down)
    print(out.shape, float(jnp.abs(out).mean()))


if __name__ == "__main__":
    main()
