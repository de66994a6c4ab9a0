import jax
import jax.numpy as jnp
import numpy as np
import optax
from flax import jax_utils
from flax import linen as nn
from flax.training import common_utils
from flax.training.train_state import TrainState


class Encoder(nn.Module):
    @nn.compact
    def __call__(self, tokens, deterministic):
        x = nn.Embed(200, 32)(tokens)
        x = nn.Dropout(0.1, deterministic=deterministic)(x)
        return nn.Dense(2)(x.mean(axis=1))


def train_step(state, batch, dropout_rng):
    dropout_rng, new_rng = jax.random.split(dropout_rng)

    def loss_fn(params):
        logits = state.apply_fn({"params": params}, batch["tokens"], False, rngs={"dropout": dropout_rng})
        return optax.softmax_cross_entropy_with_integer_labels(logits, batch["label"]).mean()

    loss, grads = jax.value_and_grad(loss_fn)(state.params)
    grads = jax.lax.pmean(grads, "batch")
    return state.apply_gradients(grads=grads), jax.lax.pmean(loss, "batch"), new_rng


def main(steps=50):
    rng = jax.random.PRNGKey(0)
    rng, init_rng, dropout_rng = jax.random.split(rng, 3)
    model = Encoder()
    params = model.init(init_rng, jnp.zeros((1, 16), jnp.int32), True)["params"]
    state = TrainState.create(apply_fn=model.apply, params=params, tx=optax.adamw(1e-3))
    state = jax_utils.replicate(state)
    dropout_rngs = jax_utils.replicate(dropout_rng)
    p_step = jax.pmap(train_step, axis_name="batch", donate_argnums=(0,))
    data = np.random.default_rng(0)
    for _ in range(steps):
        batch = {"tokens": data.integers(0, 200, size=(64, 16)), "label": data.integers(0, 2, size=64)}
        state, loss, dropout_rngs = p_step(state, common_utils.shard(batch), dropout_rngs)
    print(float(loss[0]))


if __name__ == "__main__":
    main()
