import flax.linen as nn
import jax
import jax.numpy as jnp
import numpy as np
import optax
from flax.training.train_state import TrainState
from jax.sharding import Mesh, NamedSharding, PartitionSpec as P


class Net(nn.Module):
    @nn.compact
    def __call__(self, x):
        return nn.Dense(7)(nn.relu(nn.Dense(64)(x)))


@jax.jit
def train_step(state, x, y):
    def loss_fn(params):
        logits = state.apply_fn({"params": params}, x)
        losses = optax.softmax_cross_entropy_with_integer_labels(logits, y)
        return losses.mean(), losses

    (loss, losses), grads = jax.value_and_grad(loss_fn, has_aux=True)(state.params)
    return state.apply_gradients(grads=grads), losses


def main(steps=100):
    jax.distributed.initialize()
    mesh = Mesh(np.asarray(jax.devices()), ("data",))
    rows = NamedSharding(mesh, P("data"))
    model = Net()
    params = model.init(jax.random.key(0), jnp.zeros((1, 12)))["params"]
    state = TrainState.create(apply_fn=model.apply, params=params, tx=optax.adam(1e-3))
    state = jax.device_put(state, NamedSharding(mesh, P()))
    rng = np.random.default_rng([0, jax.process_index()])
    for i in range(steps):
        local = rng.normal(size=(64, 12)).astype(np.float32)
        x = jax.make_array_from_process_local_data(rows, local)
        y = jax.make_array_from_process_local_data(rows, local[:, :7].argmax(1))
        state, found = train_step(state, x, y)
        if i % 20 == 0:
            value = float(np.mean(np.asarray(found)))
            if jax.process_index() == 0:
                print(i, value)


if __name__ == "__main__":
    main()
