"""Two-layer MLP with tensor parallel specs over a mesh."""
import argparse

import jax
import jax.numpy as jnp
import numpy as np
from jax.sharding import Mesh, NamedSharding, PartitionSpec as P


def build_mesh():
    count = jax.device_count()
    return Mesh(np.array(jax.devices()).reshape(count // 2, 2), ("data", "model"))


SPECS = {
    "up": P(None, "model"),
    "down": P("model", None),
}


def init(key, d=64, h=256):
    a, b = jax.random.split(key)
    return {"up": jax.random.normal(a, (d, h)) * 0.1, "down": jax.random.normal(b, (h, d)) * 0.05}


def place(params, mesh):
    return {name: jax.device_put(value, NamedSharding(mesh, SPECS[name])) for name, value in params.items()}


@jax.jit
def step(params, x):
    def loss_fn(p):
        return jnp.mean((jax.nn.gelu(x @ p["up"]) @ p["down"] - x) ** 2)

    loss, grads = jax.value_and_grad(loss_fn)(params)
    return jax.tree.map(lambda p, g: p - 0.1 * g, params, grads), loss


def main():
    ap = argparse.ArgumentParser()
    ap.add_argument("--steps", type=int, default=50)
    args = ap.parse_args()
    mesh = build_mesh()
    params = place(init(jax.random.key(0)), mesh)
    rng = np.random.default_rng(0)
    for _ in range(args.steps):
        x = rng.normal(size=(128, 64)).astype(np.float32)
        params, loss = step(params, jax.device_put(x, NamedSharding(mesh, P("data"))))
    print(float(loss))


if __name__ == "__main__":
    main()
