import jax
import jax.numpy as jnp
import numpy as np
import optax
from jax.sharding import Mesh, NamedSharding, PartitionSpec as P

from shards import examples, host_share, list_shards


def loss_fn(params, x, y):
    return jnp.mean((jax.nn.relu(x @ params["w"]) @ params["v"] - y) ** 2)


def main(folder="/data/train", steps=2000):
    jax.distributed.initialize()
    mesh = Mesh(np.asarray(jax.devices()), ("data",))
    rows, whole = NamedSharding(mesh, P("data")), NamedSharding(mesh, P())
    k1, k2 = jax.random.split(jax.random.key(0))
    params = {"w": jax.random.normal(k1, (16, 64)), "v": jax.random.normal(k2, (64,)) / 8}
    params = jax.device_put(params, whole)
    tx = optax.adam(1e-3)
    opt_state = jax.jit(tx.init, out_shardings=whole)(params)

    @jax.jit
    def step(params, opt_state, x, y):
        loss, grads = jax.value_and_grad(loss_fn)(params, x, y)
        updates, opt_state = tx.update(grads, opt_state)
        return optax.apply_updates(params, updates), opt_state, loss

    mine = host_share(list_shards(folder), jax.process_index(), jax.process_count())
    stream = examples(mine, seed=jax.process_index())
    for _ in range(steps):
        x, y = (jax.make_array_from_process_local_data(rows, part) for part in next(stream))
        params, opt_state, loss = step(params, opt_state, x, y)
    if jax.process_index() == 0:
        print(float(loss))


if __name__ == "__main__":
    main()
