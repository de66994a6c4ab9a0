import jax
import jax.numpy as jnp
import numpy as np
import optax

from loader import ArrayLoader


def split_over_devices(a):
    n = jax.local_device_count()
    return a.reshape((n, a.shape[0] // n) + a.shape[1:])


def loss_fn(params, x, y):
    h = jax.nn.relu(x @ params["w1"])
    return optax.sigmoid_binary_cross_entropy((h @ params["w2"])[..., 0], y).mean()


def make_step(tx):
    def step(params, opt_state, x, y):
        loss, grads = jax.value_and_grad(loss_fn)(params, x, y)
        loss, grads = jax.lax.pmean((loss, grads), "batch")
        updates, opt_state = tx.update(grads, opt_state, params)
        return optax.apply_updates(params, updates), opt_state, loss

    return jax.pmap(step, axis_name="batch", in_axes=(None, None, 0, 0), out_axes=None)


def main(epochs=3):
    rng = np.random.default_rng(42)
    x = rng.normal(size=(5_003, 14)).astype(np.float32)
    y = (x.sum(-1) > 0).astype(np.float32)
    k1, k2 = jax.random.split(jax.random.key(0))
    params = {"w1": 0.2 * jax.random.normal(k1, (14, 32)), "w2": 0.2 * jax.random.normal(k2, (32, 1))}
    tx = optax.adam(1e-3)
    opt_state, step = tx.init(params), make_step(tx)
    data = ArrayLoader(x, y)
    for epoch in range(epochs):
        for bx, by in data:
            params, opt_state, loss = step(params, opt_state, split_over_devices(bx), split_over_devices(by))
        print(epoch, float(loss))


if __name__ == "__main__":
    main()
