import jax
import jax.numpy as jnp
import numpy as np
import optax
from flax import jax_utils

LOSSES = {
    "l2": lambda p, y: jnp.mean((p - y) ** 2),
    "huber": lambda p, y: jnp.mean(optax.huber_loss(p, y)),
}
tx = optax.sgd(0.05)


def update(params, opt_state, x, y, kind):
    def objective(p):
        return LOSSES[kind](jnp.tanh(x @ p["w"]) @ p["v"], y)

    value, grads = jax.value_and_grad(objective)(params)
    grads = jax.lax.pmean(grads, "i")
    updates, opt_state = tx.update(grads, opt_state)
    return optax.apply_updates(params, updates), opt_state, jax.lax.pmean(value, "i")


p_update = jax.pmap(update, axis_name="i", donate_argnums=(0, 1), static_broadcasted_argnums=(4,))


def main(steps=300):
    k1, k2 = jax.random.split(jax.random.PRNGKey(0))
    params = {"w": jax.random.normal(k1, (7, 20)) / 3, "v": jax.random.normal(k2, (20,)) / 5}
    opt_state = jax_utils.replicate(tx.init(params))
    params = jax_utils.replicate(params)
    rng = np.random.default_rng(0)
    n = jax.local_device_count()
    for step in range(steps):
        x = rng.normal(size=(n, 32, 7)).astype(np.float32)
        kind = "huber" if step < 100 else "l2"
        params, opt_state, value = p_update(params, opt_state, x, x.prod(-1), kind)
    print(float(value[0]))


if __name__ == "__main__":
    main()
