import jax
import jax.numpy as jnp
import numpy as np
import optax
from jax.sharding import Mesh, NamedSharding, PartitionSpec as P


class GlobalSource:
    """One numpy stream, equal on all hosts; each host uploads only its rows."""

    def __init__(self, sharding, path, rows, seed):
        self.sharding = sharding
        self.table = np.load(path, mmap_mode="r")
        self.rows = rows
        self.seed = seed

    def epoch(self, number):
        order = np.random.default_rng([self.seed, number]).permutation(len(self.table))
        for start in range(0, len(order) - self.rows + 1, self.rows):
            take = order[start : start + self.rows]
            shape = (self.rows, self.table.shape[1])
            yield jax.make_array_from_callback(
                shape, self.sharding, lambda index: np.asarray(self.table[np.sort(take)[index[0]]][:, index[1]])
            )


def main(path="features.npy", epochs=5):
    jax.distributed.initialize()
    mesh = Mesh(np.asarray(jax.devices()).reshape(-1, 2), ("data", "model"))
    source = GlobalSource(NamedSharding(mesh, P("data", None)), path, rows=1024, seed=0)
    k1, k2 = jax.random.split(jax.random.key(0))
    dim = source.table.shape[1]
    params = {"enc": jax.random.normal(k1, (dim, 64)) / 8, "dec": jax.random.normal(k2, (64, dim)) / 8}
    params = jax.device_put(
        params, {"enc": NamedSharding(mesh, P(None, "model")), "dec": NamedSharding(mesh, P("model", None))}
    )
    tx = optax.adam(1e-3)
    opt_state = tx.init(params)

    @jax.jit
    def step(params, opt_state, x):
        def loss_fn(p):
            return jnp.mean((jax.nn.relu(x @ p["enc"]) @ p["dec"] - x) ** 2)

        loss, grads = jax.value_and_grad(loss_fn)(params)
        updates, opt_state = tx.update(grads, opt_state, params)
        return optax.apply_updates(params, updates), opt_state, loss

    for number in range(epochs):
        for x in source.epoch(number):
            params, opt_state, loss = step(params, opt_state, x)
        if jax.process_index() == 0:
            print(number, float(loss))


if __name__ == "__main__":
    main()
