from typing import Any

import jax
import jax.numpy as jnp
import numpy as np
import optax
from flax import jax_utils
from flax.training.train_state import TrainState

from nets import Segmenter


class BNState(TrainState):
    batch_stats: Any


class SegTrainer:
    def __init__(self, lr=1e-3, seed=0):
        self.model = Segmenter()
        variables = self.model.init(jax.random.PRNGKey(seed), jnp.zeros((1, 8, 8, 3)), train=False)
        state = BNState.create(
            apply_fn=self.model.apply,
            params=variables["params"],
            batch_stats=variables["batch_stats"],
            tx=optax.adamw(lr),
        )
        self.state = jax_utils.replicate(state)
        self.step = jax.pmap(self._step, axis_name="devices", donate_argnums=(0,))

    @staticmethod
    def _step(state, images, masks):
        def loss_fn(params):
            variables = {"params": params, "batch_stats": state.batch_stats}
            logits, new = state.apply_fn(variables, images, train=True, mutable=["batch_stats"])
            return optax.sigmoid_binary_cross_entropy(logits, masks).mean(), new["batch_stats"]

        (loss, stats), grads = jax.value_and_grad(loss_fn, has_aux=True)(state.params)
        grads, loss = jax.lax.pmean((grads, loss), axis_name="devices")
        return state.apply_gradients(grads=grads, batch_stats=stats), loss

    def fit(self, batches):
        for images, masks in batches:
            self.state, loss = self.step(self.state, images, masks)
        return float(loss[0])


def batches(count, per_device=4):
    rng = np.random.default_rng(0)
    n = jax.local_device_count()
    for _ in range(count):
        images = rng.random((n, per_device, 8, 8, 3), dtype=np.float32)
        yield images, (images.mean(-1) > 0.5).astype(np.float32)


if __name__ == "__main__":
    print("loss", SegTrainer().fit(batches(4)))
