import functools

import jax

from part.step import step


def mapped(config):
    return jax.pmap(functools.partial(step, config), axis_name="d", static_broadcasted_argnums=(3,))
