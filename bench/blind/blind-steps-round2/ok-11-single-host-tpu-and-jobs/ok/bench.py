import jax
import jax.numpy as jnp

print(jax.device_count(), jax.jit(lambda x: (x @ x).sum())(jnp.ones((512, 512))))
