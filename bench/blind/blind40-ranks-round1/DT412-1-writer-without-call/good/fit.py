import jax

jax.distributed.initialize()

import flax.linen as nn
import jax.numpy as jnp
import numpy as np
import optax
from flax.training import train_state
from jax.sharding import Mesh, NamedSharding, PartitionSpec as P

from metrics_io import metric_writer


class Net(nn.Module):
    hidden: int = 64

    @nn.compact
    def __call__(self, x):
        x = nn.gelu(nn.Dense(self.hidden)(x))
        return nn.Dense(1)(x).squeeze(-1)


def synthetic(steps, batch, features):
    rng = np.random.default_rng([31, jax.process_index()])
    for _ in range(steps):
        x = rng.standard_normal((batch, features), dtype=np.float32)
        yield x, np.sin(x.sum(-1))


@jax.jit
def train_step(state, x, y):
    def loss_fn(params):
        return jnp.mean(optax.l2_loss(state.apply_fn({"params": params}, x), y))

    loss, grads = jax.value_and_grad(loss_fn)(state.params)
    return state.apply_gradients(grads=grads), loss


def main(steps=300, per_host=64, features=12):
    mesh = Mesh(np.asarray(jax.devices()), ("batch",))
    rows, whole = NamedSharding(mesh, P("batch")), NamedSharding(mesh, P())
    net = Net()

    @jax.jit
    def create(key):
        params = net.init(key, jnp.zeros((1, features)))["params"]
        return train_state.TrainState.create(apply_fn=net.apply, params=params, tx=optax.adam(1e-3))

    state = jax.jit(create, out_shardings=whole)(jax.random.key(2))
    with metric_writer("metrics.jsonl") as writer:
        for i, (x, y) in enumerate(synthetic(steps, per_host, features)):
            x, y = (jax.make_array_from_process_local_data(rows, a) for a in (x, y))
            state, loss = train_step(state, x, y)
            if i % 50 == 0:
                writer.write(step=i, loss=float(loss))


if __name__ == "__main__":
    main()
