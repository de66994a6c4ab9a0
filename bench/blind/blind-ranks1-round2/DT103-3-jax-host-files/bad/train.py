import os
from functools import partial

import jax
import jax.numpy as jnp
import numpy as np
import optax
from flax import jax_utils
from flax import linen as nn
from flax.training.train_state import TrainState

from input_pipeline import examples


class MLP(nn.Module):
    width: int = 16

    @nn.compact
    def __call__(self, x):
        return nn.Dense(1)(nn.relu(nn.Dense(self.width)(x)))


@partial(jax.pmap, axis_name="data", donate_argnums=0)
def train_step(state, x, y):
    def loss_fn(params):
        return jnp.mean((state.apply_fn({"params": params}, x) - y) ** 2)

    loss, grads = jax.value_and_grad(loss_fn)(state.params)
    grads = jax.lax.pmean(grads, "data")
    return state.apply_gradients(grads=grads), jax.lax.pmean(loss, "data")


def main(folder, epochs=1, per_device=4):
    jax.distributed.initialize(
        os.environ["COORDINATOR"], int(os.environ["NUM_PROCESSES"]), int(os.environ["PROCESS_ID"])
    )
    model = MLP()
    params = model.init(jax.random.PRNGKey(0), jnp.zeros((1, 5)))["params"]
    state = TrainState.create(apply_fn=model.apply, params=params, tx=optax.adamw(1e-3))
    state = jax_utils.replicate(state)
    for epoch in range(epochs):
        for x, y in examples(folder, per_device):
            state, loss = train_step(state, x, y)
        if jax.process_index() == 0:
            print(f"epoch {epoch}: {float(loss[0]):.4f}")
    if jax.process_index() == 0:
        flat = jax.tree_util.tree_leaves(jax.device_get(jax_utils.unreplicate(state.params)))
        np.savez("params.npz", *flat)


if __name__ == "__main__":
    main(os.environ.get("DATA", "data"))
