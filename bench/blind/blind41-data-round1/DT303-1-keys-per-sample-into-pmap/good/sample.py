import jax
import jax.numpy as jnp
from flax import jax_utils
from flax import linen as nn


class Generator(nn.Module):
    @nn.compact
    def __call__(self, z):
        return nn.Dense(784)(nn.relu(nn.Dense(256)(z)))


model = Generator()


def draw(params, key, n):
    z = jax.random.normal(key, (n, 32))
    return model.apply({"params": params}, z)


p_draw = jax.pmap(draw, static_broadcasted_argnums=2)


def main(num_samples=1024, seed=3):
    init_key, key = jax.random.split(jax.random.PRNGKey(seed))
    params = jax_utils.replicate(model.init(init_key, jnp.zeros((1, 32)))["params"])
    devices = jax.local_device_count()
    keys = jax.random.split(key, devices)
    images = p_draw(params, keys, num_samples // devices)
    print(images.reshape(-1, 784).shape)


if __name__ == "__main__":
    main()
