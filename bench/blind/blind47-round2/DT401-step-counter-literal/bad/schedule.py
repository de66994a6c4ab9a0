import jax.numpy as jnp


def warmup_cosine(step, peak, warmup, total):
    up = step / warmup
    down = 0.5 * (1 + jnp.cos(jnp.pi * jnp.clip((step - warmup) / (total - warmup), 0, 1)))
    return peak * jnp.where(step < warmup, up, down)
