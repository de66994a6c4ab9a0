"""CTC training on local devices; noise fades out over the run."""
import argparse

import flax.linen as nn
import jax
import jax.numpy as jnp
import numpy as np
import optax
from flax import jax_utils
from flax.training.common_utils import shard, shard_prng_key
from flax.training.train_state import TrainState


class Recogniser(nn.Module):
    symbols: int

    @nn.compact
    def __call__(self, frames):
        x = nn.Conv(96, (5,), strides=(2,))(frames)
        x = nn.Bidirectional(nn.RNN(nn.GRUCell(96)), nn.RNN(nn.GRUCell(96)))(nn.relu(x))
        return nn.Dense(self.symbols)(x)


class SpeechTrainer:
    def __init__(self, args):
        self.args = args
        model = Recogniser(args.symbols)
        params = model.init(jax.random.key(args.seed), jnp.zeros((1, args.frames, 40)))["params"]
        state = TrainState.create(apply_fn=model.apply, params=params, tx=optax.adam(args.lr))
        self.state = jax_utils.replicate(state)
        self.step_fn = jax.pmap(self.train_step, axis_name="gpu", donate_argnums=(0,))

    def train_step(self, state, batch, key, step):
        frames, labels = batch
        amount = 0.2 * jnp.maximum(0.0, 1.0 - step / self.args.steps)
        frames = frames + amount * jax.random.normal(key, frames.shape)

        def loss_fn(params):
            logits = state.apply_fn({"params": params}, frames)
            no_pad = jnp.zeros(logits.shape[:2])
            return optax.ctc_loss(logits, no_pad, labels, jnp.zeros(labels.shape)).mean()

        loss, grads = jax.value_and_grad(loss_fn)(state.params)
        grads = jax.lax.pmean(grads, "gpu")
        return state.apply_gradients(grads=grads), jax.lax.pmean(loss, "gpu")

    def fit(self, stream):
        key = jax.random.key(self.args.seed + 1)
        for step in range(self.args.steps):
            key, sub = jax.random.split(key)
            batch = shard(next(stream))
            self.state, loss = self.step_fn(self.state, batch, shard_prng_key(sub), step)
            if step % 10 == 0:
                print(step, float(loss[0]))


def synthetic(args):
    rng = np.random.default_rng(args.seed)
    while True:
        labels = rng.integers(1, args.symbols, (args.batch, 8))
        frames = np.repeat(labels, args.frames // 8, axis=1)[..., None] * np.linspace(0, 1, 40)
        yield frames.astype(np.float32), labels


def main():
    parser = argparse.ArgumentParser()
    for flag, default in dict(batch=32, frames=64, symbols=20, steps=50, seed=0).items():
        parser.add_argument(f"--{flag}", type=int, default=default)
    parser.add_argument("--lr", type=float, default=1e-3)
    args = parser.parse_args()
    SpeechTrainer(args).fit(synthetic(args))


if __name__ == "__main__":
    main()
