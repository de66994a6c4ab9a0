import jax
import numpy as np
import optax
from flax import jax_utils

import steps


class Harness:
    def __init__(self, schedule, seed=0):
        self.schedule = schedule
        k1, k2 = jax.random.split(jax.random.PRNGKey(seed))
        params = {
            "hidden": jax.random.normal(k1, (48, 32)) * 0.1,
            "out": jax.random.normal(k2, (32, 3)) * 0.1,
        }
        self.opt_state = jax_utils.replicate(steps.tx.init(params))
        self.params = jax_utils.replicate(params)
        self.compiled = jax.pmap(
            steps.sgd_step,
            axis_name="workers",
            in_axes=(0, 0, 0, None),
            donate_argnums=(0, 1),
        )

    def __call__(self, number, batch):
        rate = self.schedule(number)
        self.params, self.opt_state, loss = self.compiled(self.params, self.opt_state, batch, rate)
        return loss


def images(seed, per_device):
    rng = np.random.default_rng(seed)
    n = jax.local_device_count()
    while True:
        image = rng.random((n, per_device, 4, 4, 3), dtype=np.float32)
        yield {"image": image, "label": np.digitize(image.mean((2, 3, 4)), [0.48, 0.52])}


def main(count=10):
    harness = Harness(optax.linear_schedule(1e-2, 1e-3, count))
    for number, batch in zip(range(count), images(0, 8)):
        loss = harness(number, batch)
    print("loss", float(loss[0]))


if __name__ == "__main__":
    main()
