# agreed ranks=4
import jax
import jax.numpy as jnp
import numpy as np
from jax import lax


@lambda f: jax.pmap(f, axis_name="i")
def step(w, x):
    """The predicate may differ by device; with these data it never does."""
    loss = jnp.mean(w * x)
    return lax.cond(jnp.isfinite(loss), lambda v: lax.pmean(v, "i"), lambda v: v, w + loss)


w = jnp.ones((4, 3))
for _ in range(4):
    w = step(w, jnp.arange(12.0).reshape(4, 3))
assert np.allclose(w, w[0])
