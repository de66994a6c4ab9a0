from functools import partial
from typing import Any

import flax.linen as nn
import jax
import jax.numpy as jnp
import numpy as np
import optax
from flax import jax_utils
from flax.training import train_state
from flax.training.common_utils import shard

from config import ModelConfig, TrainConfig

DATA_AXIS = "dp"


class ConvNet(nn.Module):
    cfg: ModelConfig

    @nn.compact
    def __call__(self, x, train):
        norm = partial(
            nn.BatchNorm,
            use_running_average=not train,
            momentum=self.cfg.norm_momentum,
            axis_name=self.cfg.norm_axis if train else None,
        )
        for width in self.cfg.widths:
            x = nn.relu(norm()(nn.Conv(width, (3, 3), strides=(2, 2), use_bias=False)(x)))
        return nn.Dense(self.cfg.classes)(x.mean(axis=(1, 2)))


class State(train_state.TrainState):
    batch_stats: Any


@partial(jax.pmap, axis_name=DATA_AXIS, donate_argnums=0)
def train_step(state, images, labels):
    def loss_fn(params):
        logits, new = state.apply_fn(
            {"params": params, "batch_stats": state.batch_stats}, images, train=True, mutable=["batch_stats"]
        )
        loss = optax.softmax_cross_entropy_with_integer_labels(logits, labels).mean()
        return loss, new["batch_stats"]

    (loss, stats), grads = jax.value_and_grad(loss_fn, has_aux=True)(state.params)
    grads, stats, loss = jax.lax.pmean((grads, stats, loss), DATA_AXIS)
    return state.apply_gradients(grads=grads, batch_stats=stats), loss


def create_state(cfg, key):
    model = ConvNet(cfg.model)
    variables = model.init(key, jnp.zeros((1, 32, 32, 3)), train=False)
    return State.create(
        apply_fn=model.apply,
        params=variables["params"],
        batch_stats=variables["batch_stats"],
        tx=optax.sgd(cfg.lr, momentum=0.9, nesterov=True),
    )


def main():
    cfg = TrainConfig()
    rng = np.random.default_rng(0)
    images = rng.random((1024, 32, 32, 3), dtype=np.float32)
    labels = rng.integers(0, cfg.model.classes, 1024)
    state = jax_utils.replicate(create_state(cfg, jax.random.PRNGKey(0)))
    for epoch in range(cfg.epochs):
        order = rng.permutation(len(images))
        for at in range(0, len(order) - cfg.batch + 1, cfg.batch):
            pick = order[at : at + cfg.batch]
            state, loss = train_step(state, shard(images[pick]), shard(labels[pick]))
        print(epoch, float(loss[0]))


if __name__ == "__main__":
    main()
