import jax
import jax.numpy as jnp
import numpy as np
import optax

from vision.augment import Augmenter


def init(key, classes=4):
    k1, k2 = jax.random.split(key)
    return {
        "conv": 0.1 * jax.random.normal(k1, (3, 3, 3, 8)),
        "head": 0.1 * jax.random.normal(k2, (8, classes)),
    }


def logits(params, x):
    h = jax.lax.conv_general_dilated(x, params["conv"], (1, 1), "SAME", dimension_numbers=("NHWC", "HWIO", "NHWC"))
    return jax.nn.relu(h).mean((1, 2)) @ params["head"]


def loss_fn(params, x, y):
    return optax.softmax_cross_entropy_with_integer_labels(logits(params, x), y).mean()


def batches(n, batch, seed=0):
    rng = np.random.default_rng(seed)
    for _ in range(n):
        x = rng.uniform(size=(batch, 8, 8, 3)).astype(np.float32)
        yield x, (x.mean((1, 2, 3)) * 4).astype(np.int32) % 4


def main(steps=40):
    params = init(jax.random.PRNGKey(1))
    tx = optax.sgd(0.1, momentum=0.9)
    opt_state = tx.init(params)
    augment = Augmenter(seed=2)

    @jax.jit
    def update(params, opt_state, x, y):
        grads = jax.grad(loss_fn)(params, x, y)
        updates, opt_state = tx.update(grads, opt_state)
        return optax.apply_updates(params, updates), opt_state

    for x, y in batches(steps, 32):
        params, opt_state = update(params, opt_state, augment(jnp.asarray(x)), y)
    return params


if __name__ == "__main__":
    main()
