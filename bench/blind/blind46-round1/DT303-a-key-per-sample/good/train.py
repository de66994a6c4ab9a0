from functools import partial

import jax
import jax.numpy as jnp
import numpy as np
import optax
from flax import jax_utils
from flax.training.common_utils import shard
from flax.training.train_state import TrainState

from model import Classifier


@partial(jax.pmap, axis_name="batch", donate_argnums=(0,))
def train_step(state, batch, key):
    def loss_fn(params):
        logits = state.apply_fn({"params": params}, batch["x"], train=True, rngs={"dropout": key})
        return optax.softmax_cross_entropy_with_integer_labels(logits, batch["y"]).mean()

    loss, grads = jax.value_and_grad(loss_fn)(state.params)
    grads = jax.lax.pmean(grads, "batch")
    return state.apply_gradients(grads=grads), jax.lax.pmean(loss, "batch")


def batches(batch_size, steps, seed=1):
    rng = np.random.default_rng(seed)
    for _ in range(steps):
        x = rng.normal(size=(batch_size, 12)).astype(np.float32)
        yield {"x": x, "y": (np.abs(x).sum(-1) * 0.4).astype(np.int32) % 4}


def main(batch_size=64, steps=25):
    model = Classifier()
    init_key, drop_key = jax.random.split(jax.random.PRNGKey(0))
    params = model.init(init_key, jnp.zeros((1, 12)), train=False)["params"]
    state = jax_utils.replicate(TrainState.create(apply_fn=model.apply, params=params, tx=optax.adam(1e-3)))
    for batch in batches(batch_size, steps):
        drop_key, sub = jax.random.split(drop_key)
        keys = jax.random.split(sub, jax.local_device_count())
        state, loss = train_step(state, shard(batch), keys)
    print("loss", float(loss[0]))


if __name__ == "__main__":
    main()
