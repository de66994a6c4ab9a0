import argparse

import jax
import jax.numpy as jnp
import numpy as np
import optax
from jax.sharding import Mesh, NamedSharding, PartitionSpec as P

from augment import augment_batch


def host_images(batch, seed):
    rng = np.random.default_rng([seed, jax.process_index()])
    while True:
        yield rng.random((batch, 16, 16, 3), dtype=np.float32), rng.integers(0, 4, batch)


def loss_fn(params, images, labels):
    feats = images.reshape(images.shape[0], -1)
    logits = jax.nn.relu(feats @ params["w1"]) @ params["w2"]
    return optax.softmax_cross_entropy_with_integer_labels(logits, labels).mean()


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--seed", type=int, default=17)
    parser.add_argument("--global-batch", type=int, default=64)
    parser.add_argument("--steps", type=int, default=10)
    args = parser.parse_args()

    jax.distributed.initialize()
    mesh = Mesh(np.array(jax.devices()), ("data",))
    by_row, everywhere = NamedSharding(mesh, P("data")), NamedSharding(mesh, P())
    init_key, aug_key = jax.random.split(jax.random.key(args.seed))
    k1, k2 = jax.random.split(init_key)
    tx = optax.sgd(0.05, momentum=0.9)
    params = jax.jit(
        lambda: {"w1": jax.random.normal(k1, (768, 32)) * 0.02, "w2": jax.random.normal(k2, (32, 4)) * 0.1},
        out_shardings=everywhere,
    )()
    opt_state = jax.jit(tx.init)(params)
    aug_key = jax.random.fold_in(aug_key, jax.process_index())

    @jax.jit
    def step(params, opt_state, images, labels):
        loss, grads = jax.value_and_grad(loss_fn)(params, images, labels)
        updates, opt_state = tx.update(grads, opt_state, params)
        return optax.apply_updates(params, updates), opt_state, loss

    batches = host_images(args.global_batch // jax.process_count(), args.seed)
    for i in range(args.steps):
        images, labels = next(batches)
        images = np.asarray(augment_batch(jax.random.fold_in(aug_key, i), images))
        images = jax.make_array_from_process_local_data(by_row, images)
        labels = jax.make_array_from_process_local_data(by_row, labels)
        params, opt_state, loss = step(params, opt_state, images, labels)
    if jax.process_index() == 0:
        print("final loss", float(loss))


if __name__ == "__main__":
    main()
