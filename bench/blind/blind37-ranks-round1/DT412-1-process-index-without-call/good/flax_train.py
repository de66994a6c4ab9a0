import json
import os

import jax
import jax.numpy as jnp
import numpy as np
import optax
from flax import linen as nn
from flax.training import train_state
from jax.sharding import Mesh, NamedSharding, PartitionSpec as P


class MLP(nn.Module):
    hidden: int = 32

    @nn.compact
    def __call__(self, x):
        return nn.Dense(1)(nn.relu(nn.Dense(self.hidden)(x)))


def local_batch(step, rows):
    rng = np.random.default_rng((step, jax.process_index()))
    x = rng.normal(size=(rows, 7)).astype(np.float32)
    return x, x.sum(1, keepdims=True)


@jax.jit
def train_step(state, x, y):
    def loss_fn(params):
        return jnp.mean((state.apply_fn({"params": params}, x) - y) ** 2)

    loss, grads = jax.value_and_grad(loss_fn)(state.params)
    return state.apply_gradients(grads=grads), loss


def record(path, **row):
    if jax.process_index():
        return
    with open(path, "a") as out:
        out.write(json.dumps(row) + "\n")


def main():
    jax.distributed.initialize()
    mesh = Mesh(np.array(jax.devices()), ("data",))
    rows = 8 * jax.local_device_count()
    over_data = NamedSharding(mesh, P("data"))
    model = MLP()
    variables = model.init(jax.random.PRNGKey(0), jnp.zeros((1, 7)))
    state = train_state.TrainState.create(apply_fn=model.apply, params=variables["params"], tx=optax.adam(1e-2))
    state = jax.device_put(state, NamedSharding(mesh, P()))
    log = os.path.join(os.environ.get("WORKDIR", "."), "loss.jsonl")
    for step in range(50):
        x, y = local_batch(step, rows)
        gx = jax.make_array_from_process_local_data(over_data, x)
        gy = jax.make_array_from_process_local_data(over_data, y)
        state, loss = train_step(state, gx, gy)
        if step % 10 == 0:
            record(log, step=step, loss=float(loss))
    jax.distributed.shutdown()


if __name__ == "__main__":
    main()
