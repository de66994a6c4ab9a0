"""Segmentation of synthetic discs with pmap."""
import argparse

import flax.linen as nn
import jax
import jax.numpy as jnp
import numpy as np
import optax


class Small(nn.Module):
    @nn.compact
    def __call__(self, x):
        skip = nn.relu(nn.Conv(16, (3, 3))(x))
        y = nn.relu(nn.Conv(32, (3, 3), strides=2)(skip))
        y = nn.ConvTranspose(16, (3, 3), strides=(2, 2))(y)
        return nn.Conv(1, (1, 1))(nn.relu(y + skip))[..., 0]


def to_devices(tree):
    return jax.tree.map(lambda x: jnp.broadcast_to(x, (jax.local_device_count(), *jnp.shape(x))), tree)


def discs(rng, n, size=32):
    yy, xx = np.mgrid[:size, :size]
    centre = rng.uniform(8, size - 8, (n, 2, 1, 1))
    mask = (yy - centre[:, 0]) ** 2 + (xx - centre[:, 1]) ** 2 < 36
    image = mask + 0.3 * rng.normal(size=mask.shape)
    return image[..., None].astype(np.float32), mask.astype(np.float32)


def build(model, tx):
    def step(params, opt_state, image, mask):
        def loss_fn(p):
            return optax.sigmoid_binary_cross_entropy(model.apply({"params": p}, image), mask).mean()

        loss, grads = jax.value_and_grad(loss_fn)(params)
        grads = jax.lax.pmean(grads, "dev")
        updates, opt_state = tx.update(grads, opt_state, params)
        return optax.apply_updates(params, updates), opt_state, jax.lax.pmean(loss, "dev")

    return jax.pmap(step, "dev")


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--steps", type=int, default=40)
    parser.add_argument("--batch", type=int, default=32)
    args = parser.parse_args()
    model, tx = Small(), optax.nadam(1e-3)
    params = model.init(jax.random.key(1), jnp.zeros((1, 32, 32, 1)))["params"]
    opt_state = to_devices(tx.init(params))
    params = to_devices(params)
    step = build(model, tx)
    rng = np.random.default_rng(1)
    n = jax.local_device_count()
    for i in range(args.steps):
        image, mask = (a.reshape(n, args.batch // n, *a.shape[1:]) for a in discs(rng, args.batch))
        params, opt_state, loss = step(params, opt_state, image, mask)
        if i % 10 == 0:
            print(i, float(loss[0]))


if __name__ == "__main__":
    main()
