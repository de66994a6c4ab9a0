import jax


def bind(rng, axis_name, to="device"):
    if to == "host":
        return jax.random.fold_in(rng, jax.process_index())
    if to == "device":
        return jax.random.fold_in(rng, jax.lax.axis_index(axis_name))
    raise ValueError(to)
