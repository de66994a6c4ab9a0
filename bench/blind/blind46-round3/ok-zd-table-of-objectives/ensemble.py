import jax
import jax.numpy as jnp
import numpy as np

LOSSES = {
    "mse": lambda pred, y: jnp.mean((pred - y) ** 2),
    "mae": lambda pred, y: jnp.mean(jnp.abs(pred - y)),
}


def init_member(key):
    k1, k2 = jax.random.split(key)
    return {"w": 0.3 * jax.random.normal(k1, (4, 16)), "v": 0.3 * jax.random.normal(k2, (16,))}


def make_member_step(name, lr):
    loss = LOSSES[name]

    def step(params, key, x, y):
        rows = jax.random.choice(key, x.shape[0], (32,))
        grads = jax.grad(lambda p: loss(jnp.tanh(x[rows] @ p["w"]) @ p["v"], y[rows]))(params)
        return jax.tree.map(lambda p, g: p - lr * g, params, grads)

    return jax.pmap(step, axis_name="member", in_axes=(0, 0, None, None))


def main(steps=30):
    n = jax.local_device_count()
    k_init, k_steps = jax.random.split(jax.random.key(0))
    members = jax.pmap(init_member)(jax.random.split(k_init, n))
    step = make_member_step("mae", 0.05)
    x = np.random.default_rng(0).normal(size=(256, 4)).astype(np.float32)
    for i in range(steps):
        members = step(members, jax.random.split(jax.random.fold_in(k_steps, i), n), x, x[:, 0])
    print(jax.tree.map(lambda a: a.shape, members))


if __name__ == "__main__":
    main()
