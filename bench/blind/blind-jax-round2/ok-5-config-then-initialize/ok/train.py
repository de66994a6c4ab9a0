import functools
import logging

import flax.linen as nn
import jax
import jax.numpy as jnp
import numpy as np
import optax
from flax import jax_utils
from flax.training.train_state import TrainState

from options import Options

log = logging.getLogger("train")


class Net(nn.Module):
    @nn.compact
    def __call__(self, x, train=False):
        x = nn.Dropout(0.1, deterministic=not train)(nn.relu(nn.Dense(32)(x)))
        return nn.Dense(1)(x)[..., 0]


@functools.partial(jax.pmap, axis_name="all", donate_argnums=(0,), static_broadcasted_argnums=(3,))
def step(state, batch, key, smooth):
    key = jax.random.fold_in(key, state.step)

    def loss_fn(params):
        out = state.apply_fn({"params": params}, batch["x"], train=True, rngs={"dropout": key})
        error = out - batch["y"]
        return jnp.mean(optax.huber_loss(error) if smooth else error**2)

    loss, grads = jax.value_and_grad(loss_fn)(state.params)
    loss, grads = jax.lax.pmean((loss, grads), "all")
    return state.apply_gradients(grads=grads), loss


def data(options):
    rng = np.random.default_rng([options.seed, jax.process_index()])
    n = jax.local_device_count()
    for _ in range(options.steps):
        x = rng.normal(size=(n, options.host_batch // n, 6)).astype(np.float32)
        yield {"x": x, "y": x.max(-1)}


def main():
    logging.basicConfig(level=logging.INFO)
    options = Options.from_environment()
    jax.config.update("jax_debug_nans", bool(options.debug_nans))
    log.info("options %s", options)
    jax.distributed.initialize()
    init_key, key = jax.random.split(jax.random.PRNGKey(options.seed))
    net = Net()
    params = net.init(init_key, jnp.zeros((1, 6)))["params"]
    state = jax_utils.replicate(TrainState.create(apply_fn=net.apply, params=params, tx=optax.adam(1e-3)))
    keys = jax.random.split(jax.random.fold_in(key, jax.process_index()), jax.local_device_count())
    for batch in data(options):
        state, loss = step(state, batch, keys, True)
    if jax.process_index() == 0:
        log.info("loss %.4f", float(loss[0]))


if __name__ == "__main__":
    main()
