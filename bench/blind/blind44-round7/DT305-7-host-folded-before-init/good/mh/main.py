import jax
import jax.numpy as jnp
import numpy as np
from flax import jax_utils, linen as nn

from mh.keys import host_key


class Net(nn.Module):
    @nn.compact
    def __call__(self, x):
        return nn.Dense(1)(nn.relu(nn.Dense(32)(x)))[..., 0]


def main(steps=100):
    jax.distributed.initialize()
    model = Net()
    params = model.init(jax.random.key(0), jnp.zeros((1, 6)))
    params = jax_utils.replicate(params)

    def step(params, x, key):
        key = jax.random.fold_in(key, jax.lax.axis_index("d"))
        noisy = x + 0.1 * jax.random.normal(key, x.shape)
        grads = jax.grad(lambda p: jnp.mean((model.apply(p, noisy) - x.sum(-1)) ** 2))(params)
        return jax.tree.map(lambda p, g: p - 0.01 * g, params, jax.lax.pmean(grads, "d"))

    p_step = jax.pmap(step, axis_name="d", in_axes=(0, 0, None))
    noise = host_key(1)
    rng = np.random.default_rng(jax.process_index())
    for i in range(steps):
        x = rng.normal(size=(jax.local_device_count(), 16, 6)).astype(np.float32)
        params = p_step(params, x, jax.random.fold_in(noise, i))
    if jax.process_index() == 0:
        print(jax.tree.map(jnp.shape, jax_utils.unreplicate(params)))


if __name__ == "__main__":
    main()
