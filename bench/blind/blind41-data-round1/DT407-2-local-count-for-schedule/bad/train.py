import argparse

import jax
import jax.numpy as jnp
import numpy as np
import optax
from flax import jax_utils


def schedule(base_lr, per_device, examples, epochs):
    devices = jax.local_device_count()
    global_batch = per_device * devices
    steps_per_epoch = examples // global_batch
    peak = base_lr * global_batch / 256
    return optax.warmup_cosine_decay_schedule(0.0, peak, 5 * steps_per_epoch, epochs * steps_per_epoch), epochs * steps_per_epoch


def update_fn(tx):
    def update(params, opt_state, x, y):
        def loss_fn(p):
            return jnp.mean((x @ p - y) ** 2)

        loss, grads = jax.value_and_grad(loss_fn)(params)
        grads = jax.lax.pmean(grads, "batch")
        updates, opt_state = tx.update(grads, opt_state, params)
        return optax.apply_updates(params, updates), opt_state, jax.lax.pmean(loss, "batch")

    return jax.pmap(update, axis_name="batch", donate_argnums=(0, 1))


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--per-device", type=int, default=64)
    parser.add_argument("--examples", type=int, default=1_281_167)
    parser.add_argument("--epochs", type=int, default=90)
    args = parser.parse_args()
    jax.distributed.initialize()
    rate, total = schedule(0.1, args.per_device, args.examples, args.epochs)
    tx = optax.sgd(rate, momentum=0.9, nesterov=True)
    params = jnp.zeros(30)
    opt_state = jax_utils.replicate(tx.init(params))
    params = jax_utils.replicate(params)
    update = update_fn(tx)
    rng = np.random.default_rng(jax.process_index())
    for _ in range(total):
        x = rng.normal(size=(jax.local_device_count(), args.per_device, 30)).astype(np.float32)
        params, opt_state, loss = update(params, opt_state, x, x.sum(-1))
    if jax.process_index() == 0:
        print(float(loss[0]))


if __name__ == "__main__":
    main()
