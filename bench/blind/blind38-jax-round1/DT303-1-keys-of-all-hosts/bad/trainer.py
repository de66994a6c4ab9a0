import dataclasses
import logging

import flax.linen as nn
import jax
import jax.numpy as jnp
import numpy as np
import optax
from flax import jax_utils
from flax.training.common_utils import shard
from flax.training.train_state import TrainState

log = logging.getLogger("trainer")


@dataclasses.dataclass
class Config:
    vocab: int = 256
    width: int = 128
    context: int = 64
    dropout: float = 0.1
    per_device_batch: int = 16
    steps: int = 1000
    seed: int = 11


class TinyLM(nn.Module):
    cfg: Config

    @nn.compact
    def __call__(self, tokens, train):
        x = nn.Embed(self.cfg.vocab, self.cfg.width)(tokens)
        mask = nn.make_causal_mask(tokens)
        for _ in range(2):
            h = nn.SelfAttention(num_heads=4)(nn.LayerNorm()(x), mask)
            x = x + nn.Dropout(self.cfg.dropout)(h, deterministic=not train)
            x = x + nn.Dense(self.cfg.width)(nn.gelu(nn.LayerNorm()(x)))
        return nn.Dense(self.cfg.vocab)(x)


class LMTrainer:
    def __init__(self, cfg):
        self.cfg = cfg
        self.model = TinyLM(cfg)
        init_key, self.key = jax.random.split(jax.random.PRNGKey(cfg.seed))
        params = self.model.init(init_key, jnp.ones((1, cfg.context), jnp.int32), train=False)["params"]
        state = TrainState.create(apply_fn=self.model.apply, params=params, tx=optax.adamw(6e-4))
        self.state = jax_utils.replicate(state)
        self.key = jax.random.fold_in(self.key, jax.process_index())
        self._step = jax.pmap(self._train_step, axis_name="dp", donate_argnums=(0,))

    def _train_step(self, state, tokens, key):
        def loss_fn(params):
            logits = state.apply_fn({"params": params}, tokens[:, :-1], train=True, rngs={"dropout": key})
            return optax.softmax_cross_entropy_with_integer_labels(logits, tokens[:, 1:]).mean()

        loss, grads = jax.value_and_grad(loss_fn)(state.params)
        grads, loss = jax.lax.pmean((grads, loss), "dp")
        return state.apply_gradients(grads=grads), loss

    def next_keys(self):
        self.key, step_key = jax.random.split(self.key)
        return jax.random.split(step_key, jax.device_count())

    def fit(self, stream):
        for step in range(self.cfg.steps):
            tokens = shard(next(stream))
            self.state, loss = self._step(self.state, tokens, self.next_keys())
            if step % 50 == 0 and jax.process_index() == 0:
                log.info("step %d loss %.4f", step, float(loss[0]))
        return jax_utils.unreplicate(self.state)


def token_stream(path, cfg):
    data = np.memmap(path, dtype=np.uint8, mode="r")
    rng = np.random.default_rng([cfg.seed, jax.process_index()])
    size = cfg.per_device_batch * jax.local_device_count()
    while True:
        starts = rng.integers(0, len(data) - cfg.context - 1, size)
        yield np.stack([data[s : s + cfg.context + 1] for s in starts]).astype(np.int32)


def main():
    logging.basicConfig(level=logging.INFO)
    jax.distributed.initialize()
    cfg = Config()
    LMTrainer(cfg).fit(token_stream("corpus.bin", cfg))


if __name__ == "__main__":
    main()
