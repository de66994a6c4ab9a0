import jax
import jax.numpy as jnp
import numpy as np
import optax
from flax import jax_utils, linen as nn
from flax.training import train_state

from accum.config import get_config
from accum.grads import make_gradients


class Mlp(nn.Module):
    hidden: int

    @nn.compact
    def __call__(self, x):
        return nn.Dense(1)(nn.gelu(nn.Dense(self.hidden)(x)))[..., 0]


def build_step(model, cfg):
    def loss_fn(params, batch):
        return jnp.mean((model.apply({"params": params}, batch["x"]) - batch["y"]) ** 2)

    gradients = make_gradients(loss_fn, cfg.accum, axis="replica")

    def step(state, batch):
        return state.apply_gradients(grads=gradients(state.params, batch))

    return jax.pmap(step, axis_name="replica", donate_argnums=(0,))


def main():
    cfg = get_config()
    model = Mlp(cfg.hidden)
    params = model.init(jax.random.key(cfg.seed), jnp.ones((1, 5)))["params"]
    state = train_state.TrainState.create(apply_fn=model.apply, params=params, tx=optax.adamw(cfg.lr))
    state = jax_utils.replicate(state)
    step = build_step(model, cfg)
    rng = np.random.default_rng(cfg.seed)
    n = jax.local_device_count()
    for _ in range(cfg.steps):
        x = rng.normal(size=(n, cfg.per_device, 5)).astype(np.float32)
        state = step(state, {"x": x, "y": x.sum(-1)})
    return jax_utils.unreplicate(state)


if __name__ == "__main__":
    main()
