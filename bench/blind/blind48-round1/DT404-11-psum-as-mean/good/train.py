import flax.linen as nn
import jax
import jax.numpy as jnp
import numpy as np
import optax
from flax import jax_utils
from flax.training.train_state import TrainState

from collectives import AXIS, mean, sync


class Mlp(nn.Module):
    @nn.compact
    def __call__(self, x):
        return nn.Dense(1)(nn.relu(nn.Dense(32)(x)))[..., 0]


def train_step(state, batch):
    def loss_fn(params):
        return jnp.mean((state.apply_fn({"params": params}, batch["x"]) - batch["y"]) ** 2)

    loss, grads = jax.value_and_grad(loss_fn)(state.params)
    return state.apply_gradients(grads=sync(grads)), mean(loss)


def main(steps=50):
    model = Mlp()
    params = model.init(jax.random.PRNGKey(0), jnp.zeros((1, 8)))["params"]
    state = jax_utils.replicate(TrainState.create(apply_fn=model.apply, params=params, tx=optax.sgd(0.05)))
    step = jax.pmap(train_step, axis_name=AXIS)
    n = jax.local_device_count()
    rng = np.random.default_rng(0)
    for _ in range(steps):
        x = rng.normal(size=(n, 16, 8)).astype(np.float32)
        state, loss = step(state, {"x": x, "y": x[..., 0]})
    if jax.process_index() == 0:
        print("loss", float(loss[0]))


if __name__ == "__main__":
    main()
