import jax


def host_key(seed):
    return jax.random.fold_in(jax.random.key(seed), jax.process_index())
