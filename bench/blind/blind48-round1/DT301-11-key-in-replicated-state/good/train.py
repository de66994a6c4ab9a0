import jax
import jax.numpy as jnp
import numpy as np
import optax

from state import create, distribute

tx = optax.adam(2e-4)


def generator(params, z):
    return jnp.tanh(z @ params["w1"]) @ params["w2"]


def moments(x):
    return jnp.concatenate([x.mean(0), x.std(0)])


def train_step(state, real):
    rng, z_key = jax.random.split(state.rng)

    def loss_fn(params):
        z = jax.random.normal(z_key, (real.shape[0], 8))
        return jnp.mean((moments(generator(params, z)) - moments(real)) ** 2)

    grads = jax.lax.pmean(jax.grad(loss_fn)(state.gen), "dev")
    updates, opt = tx.update(grads, state.gen_opt)
    return state.replace(gen=optax.apply_updates(state.gen, updates), gen_opt=opt, rng=rng)


def main(steps=20):
    k1, k2, k3 = jax.random.split(jax.random.PRNGKey(0), 3)
    params = {"w1": jax.random.normal(k1, (8, 32)), "w2": 0.1 * jax.random.normal(k2, (32, 4))}
    state = distribute(create(params, tx, k3))
    step = jax.pmap(train_step, axis_name="dev")
    n = jax.local_device_count()
    rng = np.random.default_rng(0)
    for _ in range(steps):
        state = step(state, rng.normal(size=(n, 16, 4)).astype(np.float32))
    return state


if __name__ == "__main__":
    main()
