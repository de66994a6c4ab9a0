import jax
import jax.numpy as jnp
import numpy as np
import optax
from jax.sharding import Mesh, NamedSharding, PartitionSpec as P

import seed as seeds


def main(seed=None, steps=200):
    jax.distributed.initialize()
    seed = seeds.fresh_seed() if seed is None else seed
    mesh = Mesh(np.asarray(jax.devices()), ("data",))
    rows = NamedSharding(mesh, P("data"))
    init_key, drop_key = jax.random.split(jax.random.key(seed))
    params = jax.jit(
        lambda k: {"w": jax.random.normal(k, (64, 8)) / 8}, out_shardings=NamedSharding(mesh, P())
    )(init_key)
    tx = optax.lion(1e-4)
    opt_state = jax.jit(tx.init)(params)

    @jax.jit
    def step(params, opt_state, x, key):
        keep = jax.random.bernoulli(key, 0.9, x.shape)
        loss, grads = jax.value_and_grad(lambda p: jnp.mean(((x * keep) @ p["w"]) ** 2 - x[:, :8]))(params)
        updates, opt_state = tx.update(grads, opt_state, params)
        return optax.apply_updates(params, updates), opt_state, loss

    files = np.random.default_rng(seed).permutation(np.arange(128))
    mine = files[jax.process_index() :: jax.process_count()][: 128 // jax.process_count()]
    for i in range(steps):
        x = np.load(f"shards/{mine[i % len(mine)]:04d}.npy").astype(np.float32)
        x = jax.make_array_from_process_local_data(rows, x)
        params, opt_state, loss = step(params, opt_state, x, jax.random.fold_in(drop_key, i))
        if i % 50 == 0 and jax.process_index() == 0:
            print(i, float(loss))


if __name__ == "__main__":
    main()
