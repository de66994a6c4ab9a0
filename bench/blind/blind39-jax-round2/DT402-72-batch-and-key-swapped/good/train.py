"""Energy-based model trained with pmap; the chain of negatives is made on the devices."""
import functools

import jax
import jax.numpy as jnp
import numpy as np
import optax
from flax import jax_utils


def energy(params, x):
    return jnp.sum(jax.nn.softplus(x @ params["v"]) @ params["u"], -1) + 0.5 * jnp.sum(x**2, -1)


def langevin(params, x, key, steps=10, size=0.05):
    def move(x, k):
        slope = jax.grad(lambda z: energy(params, z).sum())(x)
        return x - size * slope + (2 * size) ** 0.5 * jax.random.normal(k, x.shape), None

    return jax.lax.scan(move, x, jax.random.split(key, steps))[0]


def contrastive(params, x, negatives):
    return energy(params, x).mean() - energy(params, negatives).mean()


def make_step(tx, seed):
    @functools.partial(jax.pmap, axis_name="i", in_axes=(0, 0, 0, None), donate_argnums=(0, 1))
    def step(params, opt_state, x, turn):
        key = jax.random.fold_in(jax.random.fold_in(jax.random.key(seed), turn), jax.lax.axis_index("i"))
        negatives = jax.lax.stop_gradient(langevin(params, x, key))
        gap, grads = jax.value_and_grad(contrastive)(params, x, negatives)
        gap, grads = jax.lax.pmean((gap, grads), "i")
        updates, opt_state = tx.update(grads, opt_state, params)
        return optax.apply_updates(params, updates), opt_state, gap

    return step


def ring(rng, n):
    angle = rng.uniform(0, 2 * np.pi, size=n)
    return (np.stack([np.cos(angle), np.sin(angle)], -1) * 2 + 0.1 * rng.normal(size=(n, 2))).astype(np.float32)


def main(turns=500, per_device=128, seed=0):
    n = jax.local_device_count()
    v_key, u_key = jax.random.split(jax.random.key(seed + 1))
    params = {"v": jax.random.normal(v_key, (2, 64)), "u": 0.1 * jax.random.normal(u_key, (64, 1))}
    tx = optax.adam(1e-3)
    params, opt_state = jax_utils.replicate((params, tx.init(params)))
    step = make_step(tx, seed)
    rng = np.random.default_rng(seed)
    for turn in range(turns):
        batch = ring(rng, n * per_device).reshape(n, per_device, 2)
        params, opt_state, gap = step(params, opt_state, batch, turn)
        if turn % 100 == 0:
            print(turn, float(gap[0]))


if __name__ == "__main__":
    main()
