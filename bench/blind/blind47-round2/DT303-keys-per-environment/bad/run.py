from absl import app, flags
from ml_collections import config_flags
import jax
import jax.numpy as jnp
from flax import jax_utils

_CONFIG = config_flags.DEFINE_config_file("config", "conf.py")


def perturbed(params, key):
    noise = jax.random.normal(key, params.shape)
    return params + 0.01 * jax.lax.pmean(noise, "i")


def main(_):
    config = _CONFIG.value
    step = jax.pmap(perturbed, axis_name="i")
    params = jax_utils.replicate(jnp.zeros(16))
    key = jax.random.key(config.seed)
    for _ in range(config.steps):
        key, sub = jax.random.split(key)
        keys = jax.random.split(sub, config.num_envs)
        params = step(params, keys)
    print(params[0])


if __name__ == "__main__":
    app.run(main)
