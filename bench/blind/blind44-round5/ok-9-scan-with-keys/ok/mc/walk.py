import jax
import jax.numpy as jnp


def log_density(x):
    return -0.5 * jnp.sum(x**2) - 0.1 * jnp.sum(x**4)


def metropolis(key, x, step):
    k_move, k_accept = jax.random.split(key)
    proposal = x + step * jax.random.normal(k_move, x.shape)
    ratio = log_density(proposal) - log_density(x)
    accept = jnp.log(jax.random.uniform(k_accept)) < ratio
    return jnp.where(accept, proposal, x), accept


def chain(key, x0, steps, size):
    def turn(x, k):
        x, accepted = metropolis(k, x, size)
        return x, (x, accepted)

    _, (xs, accepted) = jax.lax.scan(turn, x0, jax.random.split(key, steps))
    return xs, accepted.mean()
