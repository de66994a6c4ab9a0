import functools

import jax
import jax.numpy as jnp
import numpy as np
import optax

from parallel import own_randomness

TX = optax.adam(1e-3)


@functools.partial(jax.pmap, axis_name="i", in_axes=(None, None, None, 0, None), out_axes=None)
@own_randomness("i")
def update(key, params, opt_state, x, temperature):
    def loss_fn(p):
        logits = jnp.tanh(x @ p["w"]) @ p["v"] / temperature
        gumbel = jax.random.gumbel(key, logits.shape)
        soft = jax.nn.softmax(logits + gumbel)
        return jnp.mean((soft @ p["code"] - x) ** 2)

    loss, grads = jax.value_and_grad(loss_fn)(params)
    loss, grads = jax.lax.pmean((loss, grads), "i")
    updates, opt_state = TX.update(grads, opt_state)
    return optax.apply_updates(params, updates), opt_state, loss


def main(steps=10):
    root = jax.random.PRNGKey(0)
    shapes = {"w": (6, 16), "v": (16, 5), "code": (5, 6)}
    keys = jax.random.split(jax.random.fold_in(root, 1), len(shapes))
    params = {name: 0.3 * jax.random.normal(key, shape) for key, (name, shape) in zip(keys, shapes.items())}
    opt_state = TX.init(params)
    stream = jax.random.fold_in(root, 2)
    rng = np.random.default_rng(0)
    for i in range(steps):
        x = rng.normal(size=(jax.local_device_count(), 8, 6)).astype(np.float32)
        params, opt_state, loss = update(jax.random.fold_in(stream, i), params, opt_state, x, max(0.5, 1.0 - 0.05 * i))
    print("loss", float(loss))


if __name__ == "__main__":
    main()
