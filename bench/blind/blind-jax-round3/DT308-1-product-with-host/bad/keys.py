import jax


def root_key(seed):
    return jax.random.PRNGKey(seed)


def host_key(seed):
    """The key for what this host draws for its own samples."""
    return jax.random.PRNGKey(seed * jax.process_index())
