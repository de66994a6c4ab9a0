import jax
import jax.numpy as jnp

AXIS = "batch"


def mean_over_devices(x):
    return jax.lax.pmean(jnp.mean(x), AXIS)


def error(w, x):
    return jnp.abs(x @ w - x[:, 0])
