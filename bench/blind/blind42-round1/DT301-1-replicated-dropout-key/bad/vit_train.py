"""Small patch classifier with flax, data parallel by pmap."""
from functools import partial

import flax.linen as nn
import jax
import jax.numpy as jnp
import numpy as np
import optax
from flax import jax_utils
from flax.training import train_state
from flax.training.common_utils import shard


class Patches(nn.Module):
    width: int = 64
    classes: int = 10

    @nn.compact
    def __call__(self, x, train):
        x = nn.Dense(self.width)(x)
        for _ in range(3):
            h = nn.LayerNorm()(x)
            h = nn.gelu(nn.Dense(self.width * 2)(h))
            h = nn.Dropout(0.2, deterministic=not train)(h)
            x = x + nn.Dense(self.width)(h)
        return nn.Dense(self.classes)(x.mean(axis=-2))


@partial(jax.pmap, axis_name="data", donate_argnums=(0,))
def train_step(state, batch, key):
    def loss_fn(params):
        logits = state.apply_fn({"params": params}, batch["x"], train=True, rngs={"dropout": key})
        return optax.softmax_cross_entropy_with_integer_labels(logits, batch["y"]).mean()

    loss, grads = jax.value_and_grad(loss_fn)(state.params)
    grads = jax.lax.pmean(grads, "data")
    return state.apply_gradients(grads=grads), jax.lax.pmean(loss, "data")


def batches(rng, n, size):
    for _ in range(n):
        x = rng.normal(size=(size, 16, 48)).astype(np.float32)
        yield shard({"x": x, "y": (x.sum(axis=(1, 2)) > 0).astype(np.int32)})


def main(steps=40, size=64):
    root = jax.random.key(7)
    root, init_key = jax.random.split(root)
    model = Patches()
    params = model.init(init_key, jnp.zeros((1, 16, 48)), train=False)["params"]
    state = train_state.TrainState.create(apply_fn=model.apply, params=params, tx=optax.adamw(1e-3))
    state = jax_utils.replicate(state)
    for batch in batches(np.random.default_rng(0), steps, size):
        root, drop = jax.random.split(root)
        state, loss = train_step(state, batch, jax_utils.replicate(drop))
    print("final loss", float(jax_utils.unreplicate(loss)))


if __name__ == "__main__":
    main()
