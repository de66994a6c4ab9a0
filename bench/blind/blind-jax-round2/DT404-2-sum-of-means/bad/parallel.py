import functools

import jax


def sync(tree, axis, op="sum"):
    """Combines a tree over a mapped axis."""
    reduce = {"sum": jax.lax.psum, "mean": jax.lax.pmean}[op]
    return reduce(tree, axis)


def data_parallel(fn, axis="devices"):
    """A step on every device; states are donated."""

    @functools.wraps(fn)
    def step(*args):
        return fn(*args, axis=axis)

    return jax.pmap(step, axis_name=axis, donate_argnums=(0,))
