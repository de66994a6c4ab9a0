import functools

import grain
import jax
import jax.numpy as jnp
import numpy as np
import optax
from flax import nnx
from jax.sharding import Mesh, NamedSharding, PartitionSpec as P

SEED = 17


class Cosines:
    def __init__(self, rows):
        self.t = np.linspace(0, 50, rows, dtype=np.float32)

    def __len__(self):
        return len(self.t)

    def __getitem__(self, index):
        return {"t": self.t[index][None], "y": np.cos(self.t[index])[None]}


class Net(nnx.Module):
    def __init__(self, rngs):
        self.inner = nnx.Linear(1, 64, rngs=rngs)
        self.outer = nnx.Linear(64, 1, rngs=rngs)

    def __call__(self, t):
        return self.outer(jnp.sin(self.inner(t)))


def stream(rows, per_process):
    data = grain.MapDataset.source(Cosines(rows)).seed(SEED).shuffle()
    return iter(data.repeat().batch(per_process, drop_remainder=True).to_iter_dataset())


def main(steps=300, global_batch=128):
    jax.distributed.initialize()
    mesh = Mesh(np.asarray(jax.devices()), ("b",))
    model = Net(nnx.Rngs(0))
    graph, params = nnx.split(model, nnx.Param)
    params = jax.device_put(params, NamedSharding(mesh, P()))
    tx = optax.adam(1e-2)
    opt_state = jax.jit(tx.init)(params)

    @functools.partial(jax.jit, donate_argnums=(0, 1))
    def step(params, opt_state, batch):
        def objective(p):
            return jnp.mean((nnx.merge(graph, p)(batch["t"]) - batch["y"]) ** 2)

        loss, grads = jax.value_and_grad(objective)(params)
        updates, opt_state = tx.update(grads, opt_state, params)
        return optax.apply_updates(params, updates), opt_state, loss

    place = functools.partial(jax.make_array_from_process_local_data, NamedSharding(mesh, P("b")))
    source = stream(8192, global_batch // jax.process_count())
    for index in range(steps):
        params, opt_state, loss = step(params, opt_state, jax.tree.map(place, next(source)))
        if index % 50 == 0 and jax.process_index() == 0:
            print(index, float(loss))


if __name__ == "__main__":
    main()
