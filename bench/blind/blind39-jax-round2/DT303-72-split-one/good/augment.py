import jax
import jax.numpy as jnp


def spec_augment(key, mel, width=8):
    """Blanks one band of frequencies and one stretch of time."""
    band_key, time_key = jax.random.split(key)
    band = jax.random.randint(band_key, (), 0, mel.shape[-1] - width)
    start = jax.random.randint(time_key, (), 0, mel.shape[-2] - width)
    freq = jnp.arange(mel.shape[-1])
    time = jnp.arange(mel.shape[-2])
    keep = ~(((freq >= band) & (freq < band + width))[None, :] | ((time >= start) & (time < start + width))[:, None])
    return mel * keep


def maybe(key, fn, mel, probability=0.5):
    coin, fn_key = jax.random.split(key)
    return jnp.where(jax.random.bernoulli(coin, probability), fn(fn_key, mel), mel)
