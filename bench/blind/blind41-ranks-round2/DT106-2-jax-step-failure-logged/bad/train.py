import logging

import flax.linen as nn
import jax
import jax.numpy as jnp
import numpy as np
import optax
from flax.training import train_state
from jax.sharding import Mesh, NamedSharding, PartitionSpec as P

log = logging.getLogger(__name__)


class Classifier(nn.Module):
    @nn.compact
    def __call__(self, x):
        x = nn.relu(nn.Dense(64)(x))
        return nn.Dense(10)(x)


@jax.jit
def train_step(state, x, y):
    def loss_fn(params):
        logits = state.apply_fn({"params": params}, x)
        return optax.softmax_cross_entropy_with_integer_labels(logits, y).mean()

    loss, grads = jax.value_and_grad(loss_fn)(state.params)
    return state.apply_gradients(grads=grads), loss


def local_batches(count, size):
    rng = np.random.default_rng([7, jax.process_index()])
    for _ in range(count):
        yield rng.normal(size=(size, 32)).astype(np.float32), rng.integers(0, 10, size=(size,))


def main():
    jax.distributed.initialize()
    mesh = Mesh(np.array(jax.devices()), ("data",))
    rows, everywhere = NamedSharding(mesh, P("data")), NamedSharding(mesh, P())
    model = Classifier()
    params = model.init(jax.random.key(0), jnp.zeros((1, 32)))["params"]
    state = train_state.TrainState.create(apply_fn=model.apply, params=params, tx=optax.adam(1e-3))
    state = jax.device_put(state, everywhere)
    for step, (x, y) in enumerate(local_batches(500, 16 * jax.local_device_count())):
        try:
            x, y = (jax.make_array_from_process_local_data(rows, part) for part in (x, y))
            state, loss = train_step(state, x, y)
        except Exception:
            log.exception("step %d failed, going on", step)
            continue
        if step % 50 == 0 and jax.process_index() == 0:
            log.info("step %d loss %.3f", step, float(loss))


if __name__ == "__main__":
    logging.basicConfig(level=logging.INFO)
    main()
