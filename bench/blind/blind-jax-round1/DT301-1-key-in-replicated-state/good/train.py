import dataclasses

import jax
import jax.numpy as jnp
import numpy as np
import optax
from flax import jax_utils
from flax.training import train_state

from diffusion import Denoiser, corrupt


@dataclasses.dataclass
class Config:
    seed: int = 0
    batch_size: int = 64
    dim: int = 8
    steps: int = 20
    ema: float = 0.99


class State(train_state.TrainState):
    rng: jax.Array
    ema_params: dict


def create_state(cfg):
    init_rng, train_rng = jax.random.split(jax.random.PRNGKey(cfg.seed))
    model = Denoiser()
    params = model.init(init_rng, jnp.zeros((1, cfg.dim)), jnp.zeros((1,)))["params"]
    return State.create(
        apply_fn=model.apply, params=params, tx=optax.adamw(1e-3), rng=train_rng, ema_params=params
    )


def make_train_step(cfg):
    def train_step(state, x):
        rng, step_rng = jax.random.split(state.rng)
        step_rng = jax.random.fold_in(step_rng, jax.lax.axis_index("batch"))

        def loss_fn(params):
            noisy, t, eps = corrupt(step_rng, x)
            return jnp.mean((state.apply_fn({"params": params}, noisy, t) - eps) ** 2)

        loss, grads = jax.value_and_grad(loss_fn)(state.params)
        grads = jax.lax.pmean(grads, "batch")
        state = state.apply_gradients(grads=grads, rng=rng)
        ema = jax.tree_util.tree_map(
            lambda e, p: cfg.ema * e + (1 - cfg.ema) * p, state.ema_params, state.params
        )
        return state.replace(ema_params=ema), jax.lax.pmean(loss, "batch")

    return jax.pmap(train_step, axis_name="batch", donate_argnums=(0,))


def main(cfg):
    state = jax_utils.replicate(create_state(cfg))
    step_fn = make_train_step(cfg)
    n = jax.local_device_count()
    data = np.random.default_rng(cfg.seed)
    for step in range(cfg.steps):
        x = data.normal(size=(n, cfg.batch_size // n, cfg.dim)).astype(np.float32)
        state, loss = step_fn(state, x)
        if step % 10 == 0:
            print(step, float(loss[0]))


if __name__ == "__main__":
    main(Config())
