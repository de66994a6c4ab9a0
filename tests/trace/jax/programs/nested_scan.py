# deadlock nested_scan.py:11 ranks=4
import jax
import jax.numpy as jnp
from jax import lax


def body(carry, x):
    """The branch is inside a scan inside a jit, and depends on the data of the device."""

    def reduce(value):
        return lax.psum(value, "i")

    return lax.cond(x > 2, reduce, lambda value: value, carry), x


@jax.pmap
def unused(x):
    return x


total = jax.pmap(lambda xs: jax.jit(lambda ys: lax.scan(body, 0.0 * ys[0], ys))(xs)[0], axis_name="i")
unused(jnp.ones(4))
print(total(jnp.asarray([[0.0, 0.0], [0.0, 1.0], [0.0, 2.0], [0.0, 3.0]])))
