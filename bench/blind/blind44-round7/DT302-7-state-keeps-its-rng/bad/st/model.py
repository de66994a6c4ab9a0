import jax
import jax.numpy as jnp


def forward(params, x, rng, rate=0.1):
    h = jax.nn.gelu(x @ params["up"])
    h = jnp.where(jax.random.bernoulli(rng, 1 - rate, h.shape), h / (1 - rate), 0)
    return h @ params["down"]
