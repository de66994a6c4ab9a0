import itertools

import jax
import jax.numpy as jnp
import numpy as np
import optax
from flax import jax_utils

from config import Config


def host_examples(cfg):
    """Shuffled passes over this host's part of the examples."""
    every = np.random.default_rng(0).normal(size=(cfg.num_examples, 6)).astype(np.float32)
    own = every[jax.process_index() :: jax.process_count()]
    rng = np.random.default_rng([1, jax.process_index()])
    while True:
        order = rng.permutation(len(own))
        for start in range(0, len(own) - cfg.host_batch + 1, cfg.host_batch):
            x = own[order[start : start + cfg.host_batch]]
            yield x.reshape(jax.local_device_count(), -1, 6)


def main(cfg):
    jax.distributed.initialize()
    schedule = optax.cosine_decay_schedule(cfg.base_lr, cfg.epochs * cfg.steps_per_epoch)
    tx = optax.adamw(schedule)
    params = {"w": jnp.zeros((6,)), "b": jnp.zeros(())}

    def step(params, opt_state, x):
        def loss_fn(p):
            return jnp.mean((x @ p["w"] + p["b"] - jnp.abs(x).sum(-1)) ** 2)

        loss, grads = jax.value_and_grad(loss_fn)(params)
        loss, grads = jax.lax.pmean((loss, grads), "devices")
        updates, opt_state = tx.update(grads, opt_state, params)
        return optax.apply_updates(params, updates), opt_state, loss

    p_step = jax.pmap(step, axis_name="devices", donate_argnums=(0, 1))
    opt_state = jax_utils.replicate(tx.init(params))
    params = jax_utils.replicate(params)
    examples = host_examples(cfg)
    for epoch in range(cfg.epochs):
        for x in itertools.islice(examples, cfg.steps_per_epoch):
            params, opt_state, loss = p_step(params, opt_state, x)
        if jax.process_index() == 0:
            print(epoch, float(loss[0]))


if __name__ == "__main__":
    main(Config())
