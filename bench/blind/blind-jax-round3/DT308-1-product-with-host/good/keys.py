import jax


def root_key(seed):
    return jax.random.PRNGKey(seed)


def host_key(seed):
    """The key for what this host draws for its own samples."""
    return jax.random.fold_in(jax.random.PRNGKey(seed + 1), jax.process_index())
