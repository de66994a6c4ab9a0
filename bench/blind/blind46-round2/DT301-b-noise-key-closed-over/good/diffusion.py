import jax
import jax.numpy as jnp
import numpy as np
import optax
from flax import jax_utils

STEPS = 50
BETAS = np.linspace(1e-4, 0.02, STEPS, dtype=np.float32)
ALPHA_BAR = np.cumprod(1.0 - BETAS)


def init(key, dim=6, width=48):
    k1, k2 = jax.random.split(key)
    return {
        "in": jax.random.normal(k1, (dim + 1, width)) / width**0.5,
        "out": jax.random.normal(k2, (width, dim)) / width**0.5,
    }


def denoise(params, x, t):
    feats = jnp.concatenate([x, t[:, None] / STEPS], axis=-1)
    return jax.nn.silu(feats @ params["in"]) @ params["out"]


def loss_fn(params, x, key):
    k_t, k_eps = jax.random.split(key)
    t = jax.random.randint(k_t, (x.shape[0],), 0, STEPS)
    eps = jax.random.normal(k_eps, x.shape)
    a = jnp.asarray(ALPHA_BAR)[t][:, None]
    return jnp.mean((denoise(params, jnp.sqrt(a) * x + jnp.sqrt(1 - a) * eps, t) - eps) ** 2)


def make_update(tx, key):
    def update(params, opt_state, x, step):
        step_key = jax.random.fold_in(key, step)
        step_key = jax.random.fold_in(step_key, jax.lax.axis_index("i"))
        loss, grads = jax.value_and_grad(loss_fn)(params, x, step_key)
        grads = jax.lax.pmean(grads, "i")
        updates, opt_state = tx.update(grads, opt_state, params)
        return optax.apply_updates(params, updates), opt_state, jax.lax.pmean(loss, "i")

    return jax.pmap(update, axis_name="i", in_axes=(0, 0, 0, None))


def main(n_steps=30):
    k_init, k_train = jax.random.split(jax.random.key(1))
    tx = optax.adam(2e-3)
    params = init(k_init)
    opt_state = jax_utils.replicate(tx.init(params))
    params = jax_utils.replicate(params)
    update = make_update(tx, k_train)
    rng = np.random.default_rng(0)
    n = jax.local_device_count()
    for step in range(n_steps):
        x = rng.normal(size=(n, 32, 6)).astype(np.float32)
        params, opt_state, loss = update(params, opt_state, x, step)
    print(float(loss[0]))


if __name__ == "__main__":
    main()
