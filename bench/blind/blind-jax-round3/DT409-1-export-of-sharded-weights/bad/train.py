import argparse

import jax
import jax.numpy as jnp
import numpy as np
import optax
from jax.experimental import multihost_utils
from jax.sharding import Mesh, NamedSharding, PartitionSpec as P

from export import export


def init(key):
    k1, k2 = jax.random.split(key)
    return {"up": jax.random.normal(k1, (16, 64)) * 0.2, "down": jax.random.normal(k2, (64, 16)) * 0.1}


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--steps", type=int, default=10)
    parser.add_argument("--out", default="weights.msgpack")
    args = parser.parse_args()
    jax.distributed.initialize()
    mesh = Mesh(np.array(jax.devices()), ("fsdp",))
    layout = {"up": NamedSharding(mesh, P(None, "fsdp")), "down": NamedSharding(mesh, P("fsdp", None))}
    rows = NamedSharding(mesh, P("fsdp"))
    params = jax.jit(init, out_shardings=layout)(jax.random.key(0))

    @jax.jit
    def step(params, x):
        def loss_fn(p):
            return jnp.mean((jax.nn.gelu(x @ p["up"]) @ p["down"] - x) ** 2)

        loss, grads = jax.value_and_grad(loss_fn)(params)
        return jax.tree.map(lambda p, g: p - 0.1 * g, params, grads), loss

    rng = np.random.default_rng([1, jax.process_index()])
    for _ in range(args.steps):
        x = rng.normal(size=(16, 16)).astype(np.float32)
        params, loss = step(params, jax.make_array_from_process_local_data(rows, x))
    export(args.out, params)
    multihost_utils.sync_global_devices("exported")
    if jax.process_index() == 0:
        print("loss", float(loss))


if __name__ == "__main__":
    main()
