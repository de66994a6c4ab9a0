"""Linear scaling rule on several hosts, jit over global arrays."""
import argparse

import jax
import jax.numpy as jnp
import numpy as np
import optax
from jax.sharding import Mesh, NamedSharding, PartitionSpec as P

PER_DEVICE = 128


def schedule(base_lr, total, samples):
    global_batch = PER_DEVICE * jax.local_device_count()
    steps_per_epoch = samples // global_batch
    peak = base_lr * global_batch / 256
    return optax.warmup_cosine_decay_schedule(0.0, peak, 5 * steps_per_epoch, total * steps_per_epoch), steps_per_epoch


def main():
    ap = argparse.ArgumentParser()
    ap.add_argument("--samples", type=int, default=1_281_167)
    ap.add_argument("--epochs", type=int, default=90)
    args = ap.parse_args()
    jax.distributed.initialize()
    rate, steps_per_epoch = schedule(0.1, args.epochs, args.samples)
    tx = optax.sgd(rate, momentum=0.9)
    mesh = Mesh(np.array(jax.devices()), ("data",))
    rows, whole = NamedSharding(mesh, P("data")), NamedSharding(mesh, P())
    params = jax.device_put({"w": jnp.zeros((512, 1000)), "b": jnp.zeros(1000)}, whole)
    state = jax.jit(tx.init, out_shardings=whole)(params)

    @jax.jit
    def step(params, state, x, y):
        def loss_fn(p):
            return optax.softmax_cross_entropy_with_integer_labels(x @ p["w"] + p["b"], y).mean()

        loss, grads = jax.value_and_grad(loss_fn)(params)
        updates, state = tx.update(grads, state)
        return optax.apply_updates(params, updates), state, loss

    rng = np.random.default_rng([0, jax.process_index()])
    per_host = PER_DEVICE * jax.local_device_count()
    for i in range(args.epochs * steps_per_epoch):
        x = jax.make_array_from_process_local_data(rows, rng.normal(size=(per_host, 512)).astype(np.float32))
        y = jax.make_array_from_process_local_data(rows, rng.integers(0, 1000, per_host))
        params, state, loss = step(params, state, x, y)
        if i % 500 == 0 and jax.process_index() == 0:
            print(i, float(loss), flush=True)


if __name__ == "__main__":
    main()
