import jax


def base_key(seed):
    return jax.random.PRNGKey(seed)
