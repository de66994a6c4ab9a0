import jax.numpy as jnp
import numpy as np

LOG_2PI = float(np.log(2 * np.pi))
FREQUENCIES = jnp.exp(jnp.linspace(0.0, jnp.log(1000.0), 16))
