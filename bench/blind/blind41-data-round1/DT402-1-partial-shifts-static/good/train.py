from functools import partial

import jax
import jax.numpy as jnp
import numpy as np
import optax
from flax import jax_utils
from flax import linen as nn
from flax.training.train_state import TrainState


class Net(nn.Module):
    @nn.compact
    def __call__(self, x, train):
        h = nn.relu(nn.Dense(32)(x))
        return nn.Dense(1)(h)[..., 0]


def evaluate(model, params, batch, absolute):
    error = model.apply({"params": params}, batch["x"], False) - batch["y"]
    value = jnp.abs(error) if absolute else error**2
    return jax.lax.pmean(value.mean(), "batch")


def main():
    model = Net()
    params = model.init(jax.random.PRNGKey(0), jnp.zeros((1, 6)), False)["params"]
    replicated = jax_utils.replicate(params)
    p_eval = jax.pmap(partial(evaluate, model), axis_name="batch", static_broadcasted_argnums=(2,))
    n = jax.local_device_count()
    rng = np.random.default_rng(1)
    batch = {"x": rng.normal(size=(n, 8, 6)).astype(np.float32), "y": np.zeros((n, 8), np.float32)}
    for absolute in (True, False):
        print(absolute, float(p_eval(replicated, batch, absolute)[0]))


if __name__ == "__main__":
    main()
