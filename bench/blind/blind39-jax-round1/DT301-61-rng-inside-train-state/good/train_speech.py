"""Keyword spotting with a small MLP-mixer; state, optimizer and rng travel together."""
import dataclasses

import flax.linen as nn
import jax
import jax.numpy as jnp
import numpy as np
import optax
from flax import jax_utils
from flax.training import train_state
from flax.training.common_utils import shard


@dataclasses.dataclass(frozen=True)
class Config:
    classes: int = 12
    frames: int = 49
    mels: int = 40
    hidden: int = 128
    dropout: float = 0.3
    lr: float = 5e-4
    global_batch: int = 256
    steps: int = 400


class Mixer(nn.Module):
    hidden: int
    classes: int
    dropout: float

    @nn.compact
    def __call__(self, mel, deterministic):
        h = nn.gelu(nn.Dense(self.hidden)(mel))
        h = nn.Dropout(self.dropout, deterministic=deterministic)(h)
        h = nn.gelu(nn.Dense(self.hidden)(h.mean(axis=1)))
        h = nn.Dropout(self.dropout, deterministic=deterministic)(h)
        return nn.Dense(self.classes)(h)


class SpeechState(train_state.TrainState):
    rng: jax.Array


def create_state(cfg, key):
    init_key, rng = jax.random.split(key)
    model = Mixer(cfg.hidden, cfg.classes, cfg.dropout)
    params = model.init(init_key, jnp.zeros((1, cfg.frames, cfg.mels)), deterministic=True)["params"]
    return SpeechState.create(apply_fn=model.apply, params=params, tx=optax.adamw(cfg.lr), rng=rng)


def train_step(state, batch):
    dropout_rng = jax.random.fold_in(state.rng, state.step)
    dropout_rng = jax.random.fold_in(dropout_rng, jax.lax.axis_index("batch"))

    def loss_fn(params):
        logits = state.apply_fn({"params": params}, batch["mel"], deterministic=False, rngs={"dropout": dropout_rng})
        losses = optax.softmax_cross_entropy_with_integer_labels(logits, batch["label"])
        return losses.mean(), logits

    (loss, logits), grads = jax.value_and_grad(loss_fn, has_aux=True)(state.params)
    grads = jax.lax.pmean(grads, "batch")
    accuracy = jnp.mean(jnp.argmax(logits, -1) == batch["label"])
    metrics = jax.lax.pmean({"loss": loss, "accuracy": accuracy}, "batch")
    return state.apply_gradients(grads=grads), metrics


def batches(cfg):
    rng = np.random.default_rng(11)
    while True:
        mel = rng.normal(size=(cfg.global_batch, cfg.frames, cfg.mels)).astype(np.float32)
        yield {"mel": mel, "label": (np.abs(mel).sum((1, 2)) % cfg.classes).astype(np.int32)}


def main(cfg):
    state = create_state(cfg, jax.random.key(17))
    state = jax_utils.replicate(state)
    p_train_step = jax.pmap(train_step, axis_name="batch", donate_argnums=(0,))
    source = batches(cfg)
    for step in range(cfg.steps):
        state, metrics = p_train_step(state, shard(next(source)))
        if step % 100 == 0:
            host = jax.device_get(jax_utils.unreplicate(metrics))
            print(step, float(host["loss"]), float(host["accuracy"]))
    return jax_utils.unreplicate(state).params


if __name__ == "__main__":
    main(Config())
