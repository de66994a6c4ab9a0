"""Latent diffusion under jit over a global batch: one logical program, one key."""
import argparse
import functools

import jax
import jax.numpy as jnp
import numpy as np
import optax
from flax import nnx
from jax.sharding import Mesh, NamedSharding, PartitionSpec as P


class Denoiser(nnx.Module):
    def __init__(self, dim, width, rngs):
        self.inner = nnx.Linear(dim + 1, width, rngs=rngs)
        self.outer = nnx.Linear(width, dim, rngs=rngs)
        self.drop = nnx.Dropout(0.1, rngs=rngs)

    def __call__(self, x, t):
        hidden = nnx.silu(self.inner(jnp.concatenate([x, t[:, None]], -1)))
        return self.outer(self.drop(hidden))


@nnx.jit
def train_step(model, optimizer, x, key):
    k_t, k_noise = jax.random.split(key)
    t = jax.random.uniform(k_t, (x.shape[0],))
    noise = jax.random.normal(k_noise, x.shape)

    def loss_fn(model):
        noisy = jnp.cos(t)[:, None] * x + jnp.sin(t)[:, None] * noise
        return jnp.mean((model(noisy, t) - noise) ** 2)

    loss, grads = nnx.value_and_grad(loss_fn)(model)
    optimizer.update(model, grads)
    return loss


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--steps", type=int, default=500)
    parser.add_argument("--batch", type=int, default=256)
    args = parser.parse_args()
    jax.distributed.initialize()
    mesh = Mesh(np.asarray(jax.devices()), ("data",))
    rows = NamedSharding(mesh, P("data"))
    model = Denoiser(16, 128, nnx.Rngs(params=0, dropout=1))
    optimizer = nnx.Optimizer(model, optax.adam(1e-3), wrt=nnx.Param)
    noise_key = jax.random.key(2)
    draw = np.random.default_rng((0, jax.process_index()))
    for step in range(args.steps):
        x = draw.normal(size=(args.batch // jax.process_count(), 16)).astype(np.float32)
        x = jax.make_array_from_process_local_data(rows, x)
        loss = train_step(model, optimizer, x, jax.random.fold_in(noise_key, step))
        if step % 100 == 0 and jax.process_index() == 0:
            print(step, float(loss))


if __name__ == "__main__":
    main()
