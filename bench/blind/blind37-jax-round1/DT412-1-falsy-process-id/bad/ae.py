import argparse
import pathlib

import jax
import jax.numpy as jnp
import numpy as np
import optax
from jax.sharding import Mesh, NamedSharding, PartitionSpec as P

from shards import Reader


def reconstruct(params, x):
    return jnp.tanh(x @ params["enc"]) @ params["dec"]


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("root", type=pathlib.Path)
    parser.add_argument("--global-batch", type=int, default=2048)
    parser.add_argument("--steps", type=int, default=2000)
    parser.add_argument("--out", type=pathlib.Path, default=pathlib.Path("ae.npz"))
    args = parser.parse_args()

    jax.distributed.initialize()
    main_process = jax.process_index() == 0
    mesh = Mesh(np.asarray(jax.devices()), ("data",))
    rows, whole = NamedSharding(mesh, P("data")), NamedSharding(mesh, P())
    k1, k2 = jax.random.split(jax.random.key(0))
    params = {"enc": jax.random.normal(k1, (256, 32)) / 16, "dec": jax.random.normal(k2, (32, 256)) / 6}
    tx = optax.adam(1e-3)
    params, opt_state = jax.device_put((params, tx.init(params)), whole)

    @jax.jit
    def step(params, opt_state, x):
        loss, grads = jax.value_and_grad(lambda p: jnp.mean((reconstruct(p, x) - x) ** 2))(params)
        updates, opt_state = tx.update(grads, opt_state)
        return optax.apply_updates(params, updates), opt_state, loss

    reader = Reader(args.root, args.global_batch // jax.process_count())
    probe = next(iter(Reader(args.root / "probe", 256, shard_index=0, shard_count=1)))  # the same rows on every host
    probe = jax.device_put(probe.astype(np.float32), whole)
    for i, local in zip(range(args.steps), reader):
        x = jax.make_array_from_process_local_data(rows, local.astype(np.float32))
        params, opt_state, loss = step(params, opt_state, x)
        if i % 100 == 0:
            error = jnp.mean((reconstruct(params, probe) - probe) ** 2)
            if main_process:
                print(i, float(loss), float(error))
    if main_process:
        np.savez(args.out, **jax.device_get(params))


if __name__ == "__main__":
    main()
