import functools
import logging

import jax
import ml_collections
import numpy as np
import optax
from flax import jax_utils
from flax.training import common_utils

import ddpm


def get_config():
    config = ml_collections.ConfigDict()
    config.seed = 0
    config.batch_size = 512
    config.num_steps = 1000
    config.learning_rate = 2e-4
    config.log_every = 100
    return config


@functools.partial(jax.pmap, axis_name="batch", static_broadcasted_argnums=0, donate_argnums=(1, 2))
def train_step(tx, params, opt_state, x, key):
    loss, grads = jax.value_and_grad(ddpm.loss)(params, x, key)
    grads = jax.lax.pmean(grads, "batch")
    updates, opt_state = tx.update(grads, opt_state, params)
    return optax.apply_updates(params, updates), opt_state, jax.lax.pmean(loss, "batch")


def host_batches(config):
    per_host = config.batch_size // jax.process_count()
    draw = np.random.default_rng((config.seed, jax.process_index()))
    while True:
        yield common_utils.shard(draw.normal(size=(per_host, 16)).astype(np.float32))


def train(config):
    key = jax.random.PRNGKey(config.seed)
    key, init_key = jax.random.split(key)
    params = ddpm.init(init_key)
    tx = optax.adam(config.learning_rate)
    opt_state = jax_utils.replicate(tx.init(params))
    params = jax_utils.replicate(params)
    key = jax.random.fold_in(key, jax.process_index())
    batches = host_batches(config)
    for step in range(config.num_steps):
        key, *step_keys = jax.random.split(key, jax.device_count() + 1)
        params, opt_state, loss = train_step(tx, params, opt_state, next(batches), np.stack(step_keys))
        if step % config.log_every == 0 and jax.process_index() == 0:
            logging.info("step %d loss %.4f", step, loss[0])
    return jax_utils.unreplicate(params)


if __name__ == "__main__":
    logging.basicConfig(level=logging.INFO)
    jax.distributed.initialize()
    train(get_config())
