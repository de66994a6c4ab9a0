import jax
import numpy as np
import optax
from flax import jax_utils

from updater import Updater


def batches(n_devices, per_device, seed):
    rng = np.random.default_rng(seed)
    while True:
        x = rng.normal(size=(n_devices, per_device, 10)).astype(np.float32)
        yield {"x": x, "y": np.digitize(x.mean(-1), [-0.1, 0.1])}


def main(steps=12):
    n = jax.local_device_count()
    updater = Updater(optax.warmup_cosine_decay_schedule(0.0, 3e-3, 4, steps))
    data = batches(n, 16, 0)
    rng, init_rng = jax.random.split(jax.random.PRNGKey(0))
    first = next(data)
    params, opt_state = updater.init(init_rng, first["x"][0])
    params, opt_state = jax_utils.replicate((params, opt_state))
    for step in range(steps):
        rng, sub = jax.random.split(rng)
        params, opt_state, loss = updater.update(
            step, params, opt_state, jax.random.split(sub, n), next(data)
        )
    print("loss", float(loss[0]))


if __name__ == "__main__":
    main()
