import jax
import jax.numpy as jnp
import numpy as np
from flax import jax_utils

from optim import rms, update


def loss_fn(params, batch):
    x, y = batch
    return jnp.mean(jnp.square(jax.nn.relu(x @ params["a"]) @ params["b"] - y))


def main(steps=50):
    a, b = jax.random.split(jax.random.key(0))
    params = {"a": jax.random.normal(a, (6, 16)) * 0.4, "b": jax.random.normal(b, (16,)) * 0.3}
    state = jax_utils.replicate(rms.init(params))
    params = jax_utils.replicate(params)
    step = update.make(loss_fn, 1e-2)
    rng = np.random.default_rng(0)
    n = jax.local_device_count()
    for _ in range(steps):
        x = rng.normal(size=(n, 32, 6)).astype(np.float32)
        params, state = step(params, state, (x, x.sum(-1)))
    return jax_utils.unreplicate(params)


if __name__ == "__main__":
    main()
