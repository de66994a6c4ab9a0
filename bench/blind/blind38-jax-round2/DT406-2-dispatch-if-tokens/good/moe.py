"""One expert on each device; overflowing tokens go on to the next expert."""
import jax
import jax.numpy as jnp
import numpy as np
from jax import lax
from jax.sharding import Mesh, PartitionSpec as P

EXPERTS = "experts"


def route(tokens, gate, capacity):
    n = lax.axis_size(EXPERTS)
    wanted = jnp.argmax(tokens @ gate, axis=-1) % n
    place = jnp.cumsum(jax.nn.one_hot(wanted, n, dtype=jnp.int32), axis=0)
    position = jnp.take_along_axis(place, wanted[:, None], axis=1)[:, 0] - 1
    return wanted, position, position >= capacity


def to_next(x):
    n = lax.axis_size(EXPERTS)
    return lax.ppermute(x, EXPERTS, [(i, (i + 1) % n) for i in range(n)])


def layer(params, tokens, capacity):
    wanted, position, overflow = route(tokens, params["gate"], capacity)
    hidden = jax.nn.gelu(tokens @ params["up"][0]) @ params["down"][0]
    kept = jnp.where(overflow[:, None], 0.0, hidden)

    def second_chance(_):
        moved = to_next(jnp.where(overflow[:, None], tokens, 0.0))
        served = jax.nn.gelu(moved @ params["up"][0]) @ params["down"][0]
        return lax.ppermute(served, EXPERTS, [((i + 1) % lax.axis_size(EXPERTS), i) for i in range(lax.axis_size(EXPERTS))])

    def nothing(_):
        return jnp.zeros_like(tokens)

    late = lax.cond(lax.pmax(jnp.any(overflow).astype(jnp.int32), EXPERTS) > 0, second_chance, nothing, None)
    return tokens + kept + jnp.where(overflow[:, None], late, 0.0)


def main(rows=64, dim=16, steps=3):
    mesh = Mesh(np.array(jax.devices()), (EXPERTS,))
    n = mesh.size
    k_gate, k_up, k_down, k_x = jax.random.split(jax.random.key(0), 4)
    params = {
        "gate": jax.random.normal(k_gate, (dim, n)),
        "up": jax.random.normal(k_up, (n, dim, 4 * dim)) / dim**0.5,
        "down": jax.random.normal(k_down, (n, 4 * dim, dim)) / (4 * dim) ** 0.5,
    }
    specs = {"gate": P(), "up": P(EXPERTS), "down": P(EXPERTS)}
    run = jax.jit(
        jax.shard_map(
            lambda p, x: layer(p, x, rows // n),
            mesh=mesh,
            in_specs=(specs, P(EXPERTS)),
            out_specs=P(EXPERTS),
            check_vma=False,
        )
    )
    x = jax.random.normal(k_x, (n * rows, dim))
    for _ in range(steps):
        x = run(params, x)
    print("norm", float(jnp.linalg.norm(x)))


if __name__ == "__main__":
    main()
