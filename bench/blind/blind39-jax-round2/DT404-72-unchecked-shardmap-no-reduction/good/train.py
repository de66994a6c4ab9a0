"""FNO-like operator learning; the whole update lives inside of one shard_map."""
import argparse

import jax
import jax.numpy as jnp
import numpy as np
import optax
from jax.sharding import Mesh, NamedSharding, PartitionSpec as P


def init(key, modes, width):
    lift, mix, proj = jax.random.split(key, 3)
    return {
        "lift": jax.random.normal(lift, (1, width)),
        "mix": jax.random.normal(mix, (modes, width, width)) / width,
        "proj": jax.random.normal(proj, (width, 1)) / width**0.5,
    }


def apply(params, u):
    h = u[..., None] @ params["lift"]
    modes = params["mix"].shape[0]
    spectrum = jnp.fft.rfft(h, axis=1)
    mixed = jnp.einsum("bmi,mio->bmo", spectrum[:, :modes], params["mix"])
    low = jnp.zeros_like(spectrum).at[:, :modes].set(mixed)
    return (jax.nn.gelu(h + jnp.fft.irfft(low, n=u.shape[1], axis=1)) @ params["proj"])[..., 0]


def relative_error(params, u, v):
    error = jnp.linalg.norm(apply(params, u) - v, axis=-1)
    return jnp.mean(error / jnp.linalg.norm(v, axis=-1))


def build_update(mesh, tx):
    def update(params, opt_state, u, v):
        error, grads = jax.value_and_grad(relative_error)(params, u, v)
        error, grads = jax.lax.pmean((error, grads), "samples")
        updates, opt_state = tx.update(grads, opt_state, params)
        return optax.apply_updates(params, updates), opt_state, error

    rows, same = P("samples"), P()
    return jax.jit(
        jax.shard_map(update, mesh=mesh, in_specs=(same, same, rows, rows), out_specs=(same, same, same), check_vma=False)
    )


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--modes", type=int, default=8)
    parser.add_argument("--width", type=int, default=16)
    parser.add_argument("--batch", type=int, default=64)
    parser.add_argument("--steps", type=int, default=200)
    args = parser.parse_args()
    mesh = Mesh(np.asarray(jax.devices()), ("samples",))
    tx = optax.adamw(1e-3)
    params = init(jax.random.key(0), args.modes, args.width)
    opt_state = tx.init(params)
    params, opt_state = jax.device_put((params, opt_state), NamedSharding(mesh, P()))
    update = build_update(mesh, tx)
    grid = np.linspace(0, 2 * np.pi, 64, endpoint=False)
    rng = np.random.default_rng(0)
    for step in range(args.steps):
        a = rng.normal(size=(args.batch, 4, 1))
        u = sum(a[:, k] * np.sin((k + 1) * grid) for k in range(4)).astype(np.float32)
        v = sum(a[:, k] * np.cos((k + 1) * grid) for k in range(4)).astype(np.float32)
        u, v = jax.device_put((u, v), NamedSharding(mesh, P("samples")))
        params, opt_state, error = update(params, opt_state, u, v)
        if step % 50 == 0:
            print(step, float(error))


if __name__ == "__main__":
    main()
