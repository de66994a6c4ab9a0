"""Deep ensemble: each device trains its own network on the whole (small) data set."""
import jax
import jax.numpy as jnp
import numpy as np
import optax

tx = optax.adam(1e-2)


def init_member(key):
    a, b = jax.random.split(key)
    params = {"w1": jax.random.normal(a, (1, 64)), "w2": jax.random.normal(b, (64, 2)) * 0.1}
    return params, tx.init(params)


def nll(params, x, y):
    mean, log_var = jnp.split(jnp.tanh(x @ params["w1"]) @ params["w2"], 2, axis=-1)
    return jnp.mean(0.5 * (log_var + (y - mean) ** 2 * jnp.exp(-log_var)))


def member_step(params, opt_state, key, x, y):
    rows = jax.random.randint(key, (32,), 0, len(x))
    loss, grads = jax.value_and_grad(nll)(params, x[rows], y[rows])
    updates, opt_state = tx.update(grads, opt_state)
    return optax.apply_updates(params, updates), opt_state, loss


def main(steps=200):
    members = jax.local_device_count()
    root = jax.random.key(0)
    params, opt_state = jax.pmap(init_member)(jax.random.split(root, members))
    step = jax.pmap(member_step, in_axes=(0, 0, 0, None, None), donate_argnums=(0, 1))
    rng = np.random.default_rng(0)
    x = np.sort(rng.uniform(-3, 3, size=(256, 1))).astype(np.float32)
    y = np.sin(2 * x) + 0.1 * rng.normal(size=x.shape).astype(np.float32)
    for i in range(steps):
        keys = jax.random.split(jax.random.fold_in(root, i + 1), members)
        params, opt_state, losses = step(params, opt_state, keys, x, y)
    print("losses of the members", [round(float(v), 3) for v in losses])
    predict = jax.pmap(lambda p, q: jnp.tanh(q @ p["w1"]) @ p["w2"], in_axes=(0, None))
    means = predict(params, x)[..., 0]
    print("disagreement", float(means.std(axis=0).mean()))


if __name__ == "__main__":
    main()
