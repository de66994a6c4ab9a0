import jax
import jax.numpy as jnp
import numpy as np

T = 200
_betas = np.linspace(1e-4, 0.02, T, dtype=np.float32)
ALPHA_BAR = np.cumprod(1.0 - _betas)


def init(key, width=64, dim=16):
    k_in, k_out = jax.random.split(key)
    return {
        "in": jax.random.normal(k_in, (dim + 1, width)) / np.sqrt(dim),
        "out": jax.random.normal(k_out, (width, dim)) / np.sqrt(width),
    }


def denoise(params, x, t):
    feats = jnp.concatenate([x, t[:, None] / T], axis=-1)
    return jax.nn.silu(feats @ params["in"]) @ params["out"]


def loss(params, x, key):
    k_t, k_eps = jax.random.split(key)
    t = jax.random.randint(k_t, (x.shape[0],), 0, T)
    eps = jax.random.normal(k_eps, x.shape)
    a = jnp.asarray(ALPHA_BAR)[t][:, None]
    noisy = jnp.sqrt(a) * x + jnp.sqrt(1 - a) * eps
    return jnp.mean((denoise(params, noisy, t) - eps) ** 2)
