import itertools
import pathlib
import sys

import jax
import jax.numpy as jnp
import numpy as np
import optax
from jax.sharding import Mesh, NamedSharding, PartitionSpec as P


def windows(paths, batch, seed):
    rng = np.random.default_rng([seed, jax.process_index()])
    for path in itertools.cycle(paths):
        table = np.load(path)["x"]
        for chosen in np.array_split(rng.permutation(len(table)), max(1, len(table) // batch)):
            if len(chosen) >= batch:
                yield table[chosen[:batch]].astype(np.float32)


def main(folder, steps=500, global_batch=256):
    jax.distributed.initialize()
    here, hosts = jax.process_index(), jax.process_count()
    paths = sorted(pathlib.Path(folder).glob("*.npz"))
    if len(paths) < hosts:
        raise SystemExit("fewer files than hosts")
    mesh = Mesh(np.asarray(jax.devices()), ("rows",))
    by_row = NamedSharding(mesh, P("rows"))
    tx = optax.adam(1e-3)

    def init(key):
        params = {"w": jax.random.normal(key, (32, 32)) / 6}
        return params, tx.init(params)

    params, opt_state = jax.jit(init, out_shardings=NamedSharding(mesh, P()))(jax.random.key(0))

    @jax.jit
    def step(params, opt_state, x):
        loss, grads = jax.value_and_grad(lambda p: jnp.mean((jnp.tanh(x @ p["w"]) - x) ** 2))(params)
        updates, opt_state = tx.update(grads, opt_state, params)
        return optax.apply_updates(params, updates), opt_state, loss

    source = windows(paths[here::hosts], global_batch // hosts, seed=2)
    for index in range(steps):
        x = jax.make_array_from_process_local_data(by_row, next(source))
        params, opt_state, loss = step(params, opt_state, x)
        if index % 50 == 0 and here == 0:
            print(index, float(loss))


if __name__ == "__main__":
    main(sys.argv[1])
