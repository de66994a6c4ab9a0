import functools

import jax
import jax.numpy as jnp
import optax
from flax import linen as nn
from flax import jax_utils
from flax.training import train_state


class Denoiser(nn.Module):
    width: int = 64

    @nn.compact
    def __call__(self, x, t):
        h = nn.Dense(self.width)(jnp.concatenate([x, t[:, None]], axis=-1))
        return nn.Dense(x.shape[-1])(nn.silu(h))


def loss_fn(params, apply_fn, x, key):
    t_key, noise_key = jax.random.split(key)
    t = jax.random.uniform(t_key, (x.shape[0],))
    noise = jax.random.normal(noise_key, x.shape)
    noisy = jnp.sqrt(1 - t)[:, None] * x + jnp.sqrt(t)[:, None] * noise
    return jnp.mean((apply_fn({"params": params}, noisy, t) - noise) ** 2)


@functools.partial(jax.pmap, axis_name="d", donate_argnums=0)
def train_many(state, chunks, key):
    def body(carry, x):
        state, key = carry
        _, step_key = jax.random.split(key)
        loss, grads = jax.value_and_grad(loss_fn)(state.params, state.apply_fn, x, step_key)
        grads = jax.lax.pmean(grads, "d")
        return (state.apply_gradients(grads=grads), key), jax.lax.pmean(loss, "d")

    (state, key), losses = jax.lax.scan(body, (state, key), chunks)
    return state, losses.mean()


def main(rounds=50):
    n = jax.local_device_count()
    model = Denoiser()
    init_key, data_key, key = jax.random.split(jax.random.PRNGKey(0), 3)
    params = model.init(init_key, jnp.zeros((1, 2)), jnp.zeros((1,)))["params"]
    state = train_state.TrainState.create(apply_fn=model.apply, params=params, tx=optax.adam(1e-3))
    state = jax_utils.replicate(state)
    for i in range(rounds):
        key, sub = jax.random.split(key)
        chunks = jax.random.normal(jax.random.fold_in(data_key, i), (n, 8, 64, 2))
        state, loss = train_many(state, chunks, jax.random.split(sub, n))
    print(float(loss[0]))


if __name__ == "__main__":
    main()
