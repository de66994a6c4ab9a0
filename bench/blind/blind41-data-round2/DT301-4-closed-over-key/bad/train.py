import jax
import jax.numpy as jnp
import numpy as np
import optax
from flax import jax_utils

tx = optax.adam(1e-3)


def energy(params, x):
    return jax.nn.softplus(x @ params["w"]) @ params["v"]


def make_step(sigma):
    def step(params, opt_state, x, key):
        noise = sigma * jax.random.normal(key, x.shape)

        def loss_fn(p):
            score = jax.vmap(jax.grad(lambda row: energy(p, row)))(x + noise)
            return jnp.mean(jnp.sum((score * sigma**2 + noise) ** 2, axis=-1))

        loss, grads = jax.value_and_grad(loss_fn)(params)
        grads = jax.lax.pmean(grads, "dev")
        updates, opt_state = tx.update(grads, opt_state)
        return optax.apply_updates(params, updates), opt_state, jax.lax.pmean(loss, "dev")

    return step


def main(steps=300):
    n = jax.local_device_count()
    a, b, key = jax.random.split(jax.random.PRNGKey(0), 3)
    params = {"w": jax.random.normal(a, (6, 32)) / 2, "v": jax.random.normal(b, (32,)) / 6}
    opt_state = jax_utils.replicate(tx.init(params))
    params = jax_utils.replicate(params)
    p_step = jax.pmap(make_step(0.3), axis_name="dev", in_axes=(0, 0, 0, None))
    rng = np.random.default_rng(0)
    for i in range(steps):
        x = rng.normal(size=(n, 64, 6)).astype(np.float32)
        step_key = jax.random.fold_in(key, i)
        params, opt_state, loss = p_step(params, opt_state, x, step_key)
    print(float(loss[0]))


if __name__ == "__main__":
    main()
