"""Rejection sampling by lax.while_loop; a Python retry loop with fold_in of the attempt."""
import jax
import jax.numpy as jnp


@jax.jit
def truncated_normal(key, low):
    def cond(carry):
        _, x = carry
        return x < low

    def body(carry):
        key, _ = carry
        key, sub = jax.random.split(key)
        return key, jax.random.normal(sub)

    _, x = jax.lax.while_loop(cond, body, (key, low - 1.0))
    return x


def well_conditioned(key, n, tries=10):
    for attempt in range(tries):
        a = jax.random.normal(key, (n, n))
        if jnp.linalg.cond(a) < 50:
            return a
    raise RuntimeError("no luck")


def metropolis(key, log_prob, x, steps):
    def step(carry, key):
        x, lp = carry
        prop_key, acc_key = jax.random.split(key)
        y = x + 0.5 * jax.random.normal(prop_key, x.shape)
        lq = log_prob(y)
        take = jnp.log(jax.random.uniform(acc_key)) < lq - lp
        carry = jax.tree.map(lambda a, b: jnp.where(take, a, b), (y, lq), (x, lp))
        return carry, (carry[0], take)

    _, (xs, taken) = jax.lax.scan(step, (x, log_prob(x)), jax.random.split(key, steps))
    return xs, taken.mean()


if __name__ == "__main__":
    k1, k2, k3 = jax.random.split(jax.random.key(11), 3)
    samples = jax.vmap(truncated_normal, (0, None))(jax.random.split(k1, 64), 0.5)
    assert (samples >= 0.5).all()
    print(well_conditioned(k2, 4).shape)
    xs, rate = metropolis(k3, lambda x: -0.5 * jnp.sum(x**2), jnp.zeros(2), 500)
    print(xs.mean(0), float(rate))
