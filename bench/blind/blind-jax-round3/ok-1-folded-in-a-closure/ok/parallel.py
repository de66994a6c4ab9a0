import functools

import jax


def own_randomness(axis):
    """The first argument is a key: each device gets one of its own."""

    def around(step):
        @functools.wraps(step)
        def wrapped(key, *args):
            return step(jax.random.fold_in(key, jax.lax.axis_index(axis)), *args)

        return wrapped

    return around
