import flax.linen as nn
import jax
import jax.numpy as jnp
import numpy as np
import optax
from flax import jax_utils
from flax.training.train_state import TrainState

from loop import Loop


class Net(nn.Module):
    @nn.compact
    def __call__(self, x, train):
        x = nn.relu(nn.Dense(40)(x))
        return nn.Dense(1)(nn.Dropout(0.2)(x, deterministic=not train))[..., 0]


def train_step(state, batch, key):
    x, y = batch

    def loss_fn(params):
        out = state.apply_fn({"params": params}, x, True, rngs={"dropout": key})
        return jnp.mean((out - y) ** 2)

    loss, grads = jax.value_and_grad(loss_fn)(state.params)
    loss, grads = jax.lax.pmean((loss, grads), "replicas")
    return state.apply_gradients(grads=grads), {"loss": loss}


def epoch_batches(epoch, count=5, each=8):
    rng = np.random.default_rng(epoch)
    for _ in range(count):
        x = rng.normal(size=(jax.local_device_count(), each, 6)).astype(np.float32)
        yield x, x.mean(-1)


def report(epoch, state, metrics):
    print(epoch, int(state.step[0]), float(metrics["loss"][0]))


def main():
    init_key, key = jax.random.split(jax.random.PRNGKey(3))
    net = Net()
    params = net.init(init_key, jnp.zeros((1, 6)), False)["params"]
    state = jax_utils.replicate(TrainState.create(apply_fn=net.apply, params=params, tx=optax.adam(1e-3)))
    step = jax.pmap(train_step, axis_name="replicas", donate_argnums=(0,))
    Loop(step, epoch_batches, [report]).run(state, key, epochs=3)


if __name__ == "__main__":
    main()
