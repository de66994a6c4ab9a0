import functools

import jax
import jax.numpy as jnp
import numpy as np
import optax
from flax import jax_utils
from flax.training.train_state import TrainState

from diffusion.net import Denoiser
from diffusion.process import alphas, q_sample


def make_step(table):
    @functools.partial(jax.pmap, axis_name="dev", in_axes=(0, 0, None), donate_argnums=(0,))
    def step(state, x0, key):
        xt, t, eps = q_sample(key, x0, table)

        def loss_fn(params):
            return jnp.mean((state.apply_fn({"params": params}, xt, t) - eps) ** 2)

        loss, grads = jax.value_and_grad(loss_fn)(state.params)
        grads = jax.lax.pmean(grads, "dev")
        return state.apply_gradients(grads=grads), jax.lax.pmean(loss, "dev")

    return step


def main(steps=50, batch=64, dim=6):
    key_init, key_train = jax.random.split(jax.random.PRNGKey(0))
    model = Denoiser(dim)
    params = model.init(key_init, jnp.zeros((1, dim)), jnp.zeros((1,)))["params"]
    state = jax_utils.replicate(TrainState.create(apply_fn=model.apply, params=params, tx=optax.adam(1e-3)))
    step = make_step(alphas())
    n = jax.local_device_count()
    rng = np.random.default_rng(0)
    for i in range(steps):
        x = rng.normal(size=(n, batch // n, dim)).astype(np.float32)
        state, loss = step(state, x, jax.random.fold_in(key_train, i))
    print("loss", float(loss[0]))


if __name__ == "__main__":
    main()
