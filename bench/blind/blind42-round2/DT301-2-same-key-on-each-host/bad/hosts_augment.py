"""Per-host augmentation in jit before the global step."""
import argparse

import jax
import jax.numpy as jnp
import numpy as np
import optax
from jax.sharding import Mesh, NamedSharding, PartitionSpec as P


def init(key, classes=100):
    k1, k2, k3 = jax.random.split(key, 3)
    return {
        "c1": jax.random.normal(k1, (32, 3, 3, 3)) * 0.1,
        "c2": jax.random.normal(k2, (64, 32, 3, 3)) * 0.05,
        "out": jax.random.normal(k3, (64, classes)) * 0.05,
    }


def logits_of(params, x):
    for name in ("c1", "c2"):
        x = jax.nn.relu(jax.lax.conv_general_dilated(x, params[name], (2, 2), "SAME"))
    return x.mean((2, 3)) @ params["out"]


@jax.jit
def augment(key, images):
    flip_key, noise_key = jax.random.split(key)
    flip = jax.random.bernoulli(flip_key, 0.5, (images.shape[0], 1, 1, 1))
    images = jnp.where(flip, images[..., ::-1], images)
    return images + 0.05 * jax.random.normal(noise_key, images.shape)


def host_images(seed, size):
    rng = np.random.default_rng([seed, jax.process_index()])
    while True:
        yield rng.random((size, 3, 32, 32), dtype=np.float32), rng.integers(0, 100, size)


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--batch", type=int, default=1024)
    parser.add_argument("--steps", type=int, default=1000)
    args = parser.parse_args()
    jax.distributed.initialize()
    mesh = Mesh(np.array(jax.devices()), ("data",))
    whole, by_row = NamedSharding(mesh, P()), NamedSharding(mesh, P("data"))
    tx = optax.sgd(0.1, momentum=0.9)
    params = jax.jit(init, out_shardings=whole)(jax.random.PRNGKey(args.seed))
    opt_state = jax.jit(tx.init, out_shardings=whole)(params)

    @jax.jit
    def step(params, opt_state, x, y):
        def loss_fn(p):
            return optax.softmax_cross_entropy_with_integer_labels(logits_of(p, x), y).mean()

        loss, grads = jax.value_and_grad(loss_fn)(params)
        updates, opt_state = tx.update(grads, opt_state)
        return optax.apply_updates(params, updates), opt_state, loss

    aug_key = jax.random.PRNGKey(args.seed + 1)
    feed = host_images(args.seed, args.batch // jax.process_count())
    for i in range(args.steps):
        images, labels = next(feed)
        images = np.asarray(augment(jax.random.fold_in(aug_key, i), images))
        x = jax.make_array_from_process_local_data(by_row, images)
        y = jax.make_array_from_process_local_data(by_row, labels)
        params, opt_state, loss = step(params, opt_state, x, y)
        if i % 100 == 0 and jax.process_index() == 0:
            print(i, float(loss), flush=True)


if __name__ == "__main__":
    main()
