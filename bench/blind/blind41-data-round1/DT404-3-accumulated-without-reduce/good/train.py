import jax
import jax.numpy as jnp
import numpy as np
import optax
from flax import jax_utils, linen as nn
from flax.training.train_state import TrainState

from accumulate import accumulate_gradients


class Mlp(nn.Module):
    @nn.compact
    def __call__(self, x):
        return nn.Dense(5)(nn.gelu(nn.Dense(48)(x)))


def train_step(state, batch):
    def loss_fn(params, micro):
        logits = state.apply_fn({"params": params}, micro["x"])
        return optax.softmax_cross_entropy_with_integer_labels(logits, micro["y"]).mean()

    loss, grads = accumulate_gradients(loss_fn, state.params, batch, 4)
    grads = jax.lax.pmean(grads, axis_name="data")
    loss = jax.lax.pmean(loss, axis_name="data")
    return state.apply_gradients(grads=grads), loss


def main(steps=100):
    model = Mlp()
    state = TrainState.create(
        apply_fn=model.apply,
        params=model.init(jax.random.PRNGKey(2), jnp.zeros((1, 9)))["params"],
        tx=optax.adamw(1e-3),
    )
    state = jax_utils.replicate(state)
    p_step = jax.pmap(train_step, axis_name="data", donate_argnums=(0,))
    n = jax.local_device_count()
    rng = np.random.default_rng(0)
    for step in range(steps):
        batch = {
            "x": rng.normal(size=(n, 32, 9)).astype(np.float32),
            "y": rng.integers(0, 5, size=(n, 32)),
        }
        state, loss = p_step(state, batch)
        if step % 20 == 0:
            print(step, float(jax_utils.unreplicate(loss)))
    return jax_utils.unreplicate(state)


if __name__ == "__main__":
    main()
