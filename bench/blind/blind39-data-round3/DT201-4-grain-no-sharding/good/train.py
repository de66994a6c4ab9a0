from dataclasses import dataclass

import grain.python as grain
import jax
import jax.numpy as jnp
import numpy as np
import optax
from flax import linen as nn
from jax.experimental import multihost_utils
from jax.sharding import Mesh, NamedSharding, PartitionSpec as P


@dataclass
class Options:
    global_batch: int = 512
    epochs: int = 4
    seed: int = 21
    lr: float = 1e-3


class Source:
    def __init__(self, n=40_960, dim=48):
        rng = np.random.default_rng(1)
        self.x = rng.normal(size=(n, dim)).astype(np.float32)

    def __len__(self):
        return len(self.x)

    def __getitem__(self, i):
        return self.x[i], self.x[i, :4].sum()


def loader(options):
    sampler = grain.IndexSampler(
        num_records=len(Source()),
        shard_options=grain.ShardByJaxProcess(drop_remainder=True),
        shuffle=True,
        num_epochs=options.epochs,
        seed=options.seed,
    )
    batch = grain.Batch(options.global_batch // jax.process_count(), drop_remainder=True)
    return grain.DataLoader(data_source=Source(), sampler=sampler, operations=[batch], worker_count=4)


def main():
    jax.distributed.initialize()
    options = Options()
    mesh = Mesh(np.array(jax.devices()), ("batch",))
    rows, whole = NamedSharding(mesh, P("batch")), NamedSharding(mesh, P())
    model = nn.Sequential([nn.Dense(128), nn.relu, nn.Dense(1)])
    tx = optax.adam(options.lr)

    @jax.jit
    def begin(key):
        params = model.init(key, jnp.zeros((1, 48)))
        return params, tx.init(params)

    @jax.jit
    def step(params, state, x, y):
        loss, grads = jax.value_and_grad(lambda p: jnp.mean((model.apply(p, x)[:, 0] - y) ** 2))(params)
        updates, state = tx.update(grads, state, params)
        return optax.apply_updates(params, updates), state, loss

    params, state = jax.jit(begin, out_shardings=whole)(jax.random.key(options.seed))
    for number, (x, y) in enumerate(loader(options)):
        x = jax.make_array_from_process_local_data(rows, np.asarray(x))
        y = jax.make_array_from_process_local_data(rows, np.asarray(y))
        params, state, loss = step(params, state, x, y)
        if number % 100 == 0 and jax.process_index() == 0:
            print(number, float(loss))
    multihost_utils.sync_global_devices("done")


if __name__ == "__main__":
    main()
