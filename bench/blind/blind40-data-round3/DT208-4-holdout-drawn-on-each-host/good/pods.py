import jax
import jax.numpy as jnp
import numpy as np
import optax
from jax.sharding import Mesh, NamedSharding, PartitionSpec as P


class Table:
    def __init__(self, path, holdout=0.05):
        rows = np.load(path)
        order = np.random.default_rng(1234).permutation(len(rows))
        held = int(len(rows) * holdout) // jax.process_count() * jax.process_count()
        self.held = rows[order[:held]]
        self.train = rows[order[held:]]

    def mine(self, part):
        """This host's equal share of a part."""
        share = len(part) // jax.process_count()
        start = jax.process_index() * share
        return part[start : start + share]


def net(params, x):
    return (jnp.tanh(x @ params["a"]) @ params["b"])[:, 0]


def loss_fn(params, rows):
    return jnp.mean((net(params, rows[:, 1:]) - rows[:, 0]) ** 2)


def main(path="table.npy", epochs=5, per_host=512):
    jax.distributed.initialize()
    mesh = Mesh(np.asarray(jax.devices()), ("data",))
    sharding = NamedSharding(mesh, P("data"))
    table = Table(path)
    train, held = table.mine(table.train), table.mine(table.held)
    dim = train.shape[1] - 1
    k1, k2 = jax.random.split(jax.random.key(0))
    params = {"a": jax.random.normal(k1, (dim, 64)) / 8, "b": jax.random.normal(k2, (64, 1)) / 8}
    params = jax.device_put(params, NamedSharding(mesh, P()))
    tx = optax.adam(1e-3)
    opt_state = tx.init(params)

    @jax.jit
    def step(params, opt_state, rows):
        grads = jax.grad(loss_fn)(params, rows)
        updates, opt_state = tx.update(grads, opt_state)
        return optax.apply_updates(params, updates), opt_state

    evaluate = jax.jit(loss_fn)
    for epoch in range(epochs):
        order = np.random.default_rng([epoch, jax.process_index()]).permutation(len(train))
        for start in range(0, len(order) - per_host + 1, per_host):
            rows = jax.make_array_from_process_local_data(sharding, train[order[start : start + per_host]])
            params, opt_state = step(params, opt_state, rows)
        usable = len(held) // jax.local_device_count() * jax.local_device_count()
        score = evaluate(params, jax.make_array_from_process_local_data(sharding, held[:usable]))
        if jax.process_index() == 0:
            print(epoch, float(score))


if __name__ == "__main__":
    main()
