"""One key per device: split over the local devices, folded with the host."""
import jax
import jax.numpy as jnp
import numpy as np


def make_device_keys(seed):
    key = jax.random.fold_in(jax.random.PRNGKey(seed), jax.process_index())
    return jax.random.split(key, jax.device_count())


def langevin_step(key, x):
    key, sub = jax.random.split(key)
    grad = -x
    x = x + 0.01 * grad + jnp.sqrt(0.02) * jax.random.normal(sub, x.shape)
    return key, x


def run_chain(key, x0, n):
    def body(carry, _):
        key, x = langevin_step(*carry)
        return (key, x), x.mean()

    return jax.lax.scan(body, (key, x0), None, length=n)


p_run = jax.pmap(run_chain, in_axes=(0, 0, None), static_broadcasted_argnums=2)


def main():
    n_dev = jax.local_device_count()
    keys = make_device_keys(3)
    x0 = np.zeros((n_dev, 128), np.float32)
    (keys, x), trace = p_run(keys, x0, 100)
    (keys, x), more = p_run(keys, x, 100)
    both = np.concatenate([trace, more], axis=1)
    print(both.shape, float(both.mean()), float(jnp.var(x)))


if __name__ == "__main__":
    main()
