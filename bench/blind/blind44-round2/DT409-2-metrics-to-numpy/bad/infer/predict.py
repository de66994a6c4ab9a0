import jax
import jax.numpy as jnp
import numpy as np


def forward(w, x):
    return jax.nn.sigmoid(jnp.tanh(x @ w["a"]) @ w["b"])


class Predictor:
    def __init__(self, w, rows, copies):
        self.w = jax.device_put(w, copies)
        self.rows = rows
        self.run = jax.jit(forward, out_shardings=rows)

    def __call__(self, local_x):
        x = jax.make_array_from_process_local_data(self.rows, local_x)
        return np.asarray(self.run(self.w, x))
