import dataclasses
from functools import partial

import flax.linen as nn
import jax
import jax.numpy as jnp
import numpy as np
import optax
from flax.jax_utils import replicate, unreplicate
from flax.training.train_state import TrainState

from common import shard_keys, to_devices


@dataclasses.dataclass
class TrainingArguments:
    seed: int = 42
    per_device_train_batch_size: int = 8
    max_steps: int = 12
    learning_rate: float = 1e-3

    @property
    def host_batch(self):
        return self.per_device_train_batch_size * jax.local_device_count()


class Head(nn.Module):
    @nn.compact
    def __call__(self, x, deterministic):
        x = nn.tanh(nn.Dense(32)(x))
        return nn.Dense(2)(nn.Dropout(0.1)(x, deterministic=deterministic))


def train_step(state, batch, key):
    def loss_fn(params):
        logits = state.apply_fn({"params": params}, batch["x"], False, rngs={"dropout": key})
        return optax.softmax_cross_entropy_with_integer_labels(logits, batch["y"]).mean()

    loss, grads = jax.value_and_grad(loss_fn)(state.params)
    grads = jax.lax.pmean(grads, "batch")
    return state.apply_gradients(grads=grads), jax.lax.pmean({"loss": loss}, "batch")


def host_batches(args):
    rng = np.random.default_rng([args.seed, jax.process_index()])
    for _ in range(args.max_steps):
        x = rng.normal(size=(args.host_batch, 10)).astype(np.float32)
        yield {"x": x, "y": (x.sum(-1) > 0).astype(np.int32)}


def main(args):
    jax.distributed.initialize()
    init_key, key = jax.random.split(jax.random.PRNGKey(args.seed))
    model = Head()
    params = model.init(init_key, jnp.zeros((1, 10)), True)["params"]
    state = replicate(TrainState.create(apply_fn=model.apply, params=params, tx=optax.adamw(args.learning_rate)))
    p_train_step = jax.pmap(train_step, "batch", donate_argnums=(0,))
    key = jax.random.fold_in(key, jax.process_index())
    for batch in host_batches(args):
        key, sub = jax.random.split(key)
        state, metrics = p_train_step(state, to_devices(batch), shard_keys(sub))
    if jax.process_index() == 0:
        print("loss", float(unreplicate(metrics)["loss"]))


if __name__ == "__main__":
    main(TrainingArguments())
