import functools

import jax
import jax.numpy as jnp


def denoise(params, x, t):
    return jnp.tanh(x @ params["w"]) * (1.0 - t)


def sample_chunk(params, key, per_device, steps, dim):
    key, start = jax.random.split(key)
    x = jax.random.normal(start, (per_device, dim))

    def body(i, carry):
        x, key = carry
        key, sub = jax.random.split(key)
        t = i / steps
        x = x + 0.1 * denoise(params, x, t) + 0.01 * jax.random.normal(sub, x.shape)
        return x, key

    return jax.lax.fori_loop(0, steps, body, (x, key))[0]


class ParallelSampler:
    def __init__(self, params, num_samples, dim, steps=8):
        self.params = params
        self.num_samples = num_samples
        self.devices = jax.local_devices()
        per_device = -(-num_samples // len(self.devices))
        run = functools.partial(sample_chunk, per_device=per_device, steps=steps, dim=dim)
        self._run = jax.pmap(run, in_axes=(None, 0), devices=self.devices)

    def __call__(self, key):
        keys = jax.random.split(key, len(self.devices))
        out = self._run(self.params, keys)
        return out.reshape(-1, out.shape[-1])[: self.num_samples]
