import functools

import jax
import jax.numpy as jnp
import numpy as np
import optax
from flax import jax_utils

from keys import KeyTree


def init(tree, dims):
    pairs = zip(dims, dims[1:])
    return [jax.random.normal(tree.at("layer", i).key, pair) * pair[0] ** -0.5 for i, pair in enumerate(pairs)]


def forward(params, x, tree):
    for i, w in enumerate(params[:-1]):
        x = jax.nn.relu(x @ w)
        x = x * jax.random.bernoulli(tree.at("drop", i).key, 0.9, x.shape) / 0.9
    return x @ params[-1]


tx = optax.sgd(0.05)


@functools.partial(jax.pmap, axis_name="d", in_axes=(0, 0, 0, None, None), donate_argnums=(0, 1))
def step_fn(params, opt_state, x, base, step):
    tree = KeyTree(base).at(step, jax.lax.axis_index("d"))

    def loss_fn(params):
        noisy = x + 0.1 * jax.random.normal(tree.at("input").key, x.shape)
        return jnp.mean((forward(params, noisy, tree) - x) ** 2)

    loss, grads = jax.value_and_grad(loss_fn)(params)
    loss, grads = jax.lax.pmean((loss, grads), "d")
    updates, opt_state = tx.update(grads, opt_state)
    return optax.apply_updates(params, updates), opt_state, loss


def main(steps=50, per_device=32):
    root = KeyTree(jax.random.key(123))
    params = init(root.at("init"), (16, 64, 16))
    opt_state = jax_utils.replicate(tx.init(params))
    params = jax_utils.replicate(params)
    rng = np.random.default_rng(0)
    base = root.at("train").key
    for step in range(steps):
        x = rng.normal(size=(jax.local_device_count(), per_device, 16)).astype(np.float32)
        params, opt_state, loss = step_fn(params, opt_state, x, base, step)
    print(float(loss[0]))


if __name__ == "__main__":
    main()
