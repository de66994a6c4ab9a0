import os

import jax
import jax.numpy as jnp
import numpy as np
from flax import jax_utils


class Trainer:
    def __init__(self, key):
        self.key = key

    def setup(self):
        jax.distributed.initialize(
            os.environ["COORDINATOR"], int(os.environ["NUM_PROCESSES"]), int(os.environ["PROCESS_ID"])
        )
        params = 0.1 * jax.random.normal(self.key, (4,))
        self.params = jax_utils.replicate(params)
        self.step = jax.pmap(self._step, axis_name="d")

    @staticmethod
    def _step(w, x):
        return w - 0.1 * jax.lax.pmean(jax.grad(lambda w: jnp.mean((x @ w - x[:, 0]) ** 2))(w), "d")

    def run(self, steps):
        self.setup()
        rng = np.random.default_rng([1, jax.process_index()])
        for _ in range(steps):
            self.params = self.step(self.params, rng.normal(size=(jax.local_device_count(), 8, 4)).astype(np.float32))
        if jax.process_index() == 0:
            print(jax_utils.unreplicate(self.params))
