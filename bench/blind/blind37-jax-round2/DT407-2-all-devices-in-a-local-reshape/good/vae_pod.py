import argparse
from functools import partial

import jax
import jax.numpy as jnp
import numpy as np
import optax
from flax import jax_utils

from feeder import Feeder

tx = optax.adamax(1e-3)


def init(key, dim, latent=8):
    ke, kd = jax.random.split(key)
    return {"enc": jax.random.normal(ke, (dim, 2 * latent)) / dim, "dec": jax.random.normal(kd, (latent, dim)) / 3}


def elbo(params, x, key):
    mean, logvar = jnp.split(x @ params["enc"], 2, axis=-1)
    z = mean + jnp.exp(0.5 * logvar) * jax.random.normal(key, mean.shape)
    kl = 0.5 * (jnp.exp(logvar) + mean**2 - 1 - logvar).sum(-1)
    return (((z @ params["dec"] - x) ** 2).sum(-1) + kl).mean()


@partial(jax.pmap, axis_name="all", donate_argnums=(0, 1))
def step(params, opt_state, x, key):
    loss, grads = jax.value_and_grad(elbo)(params, x, key)
    loss, grads = jax.lax.pmean((loss, grads), "all")
    updates, opt_state = tx.update(grads, opt_state)
    return optax.apply_updates(params, updates), opt_state, loss


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--rows", default="rows.npy")
    parser.add_argument("--batch", type=int, default=4096)
    parser.add_argument("--steps", type=int, default=5000)
    args = parser.parse_args()

    jax.distributed.initialize()
    feeder = Feeder(np.load(args.rows, mmap_mode="r"), args.batch, seed=4)
    init_key, key = jax.random.split(jax.random.PRNGKey(4))
    params = init(init_key, feeder.rows.shape[1])
    params, opt_state = jax_utils.replicate((params, tx.init(params)))
    key = jax.random.fold_in(key, jax.process_index())
    for i in range(args.steps):
        keys = jax.random.split(jax.random.fold_in(key, i), jax.local_device_count())
        params, opt_state, loss = step(params, opt_state, feeder.sample(), keys)
        if i % 500 == 0 and jax.process_index() == 0:
            print(i, float(loss[0]))


if __name__ == "__main__":
    main()
