import flax.linen as nn
import jax
import jax.numpy as jnp
import numpy as np
import optax
from flax import jax_utils

from state.step import step
from state.train_state import KeyedState


class Denoise(nn.Module):
    @nn.compact
    def __call__(self, x):
        h = nn.Dropout(0.1, deterministic=False)(nn.relu(nn.Dense(32)(x)))
        return nn.Dense(x.shape[-1])(h)


def main(steps=20, dim=6):
    k_init, k_drop, k_state = jax.random.split(jax.random.PRNGKey(0), 3)
    model = Denoise()
    params = model.init({"params": k_init, "dropout": k_drop}, jnp.zeros((1, dim)))["params"]
    state = KeyedState.create(apply_fn=model.apply, params=params, tx=optax.adam(1e-3), key=k_state)
    state = jax_utils.replicate(state)
    p_step = jax.pmap(step, axis_name="d", donate_argnums=(0,))
    rng = np.random.default_rng(0)
    for _ in range(steps):
        x = rng.normal(size=(jax.local_device_count(), 8, dim)).astype(np.float32)
        state, loss = p_step(state, x)
    print(float(loss[0]))


if __name__ == "__main__":
    main()
