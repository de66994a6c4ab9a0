import argparse
from pathlib import Path

import flax.linen as nn
import jax
import jax.numpy as jnp
import numpy as np
import optax
from flax import jax_utils, serialization
from flax.training.common_utils import shard
from flax.training.train_state import TrainState


class Tagger(nn.Module):
    vocab: int = 1000
    tags: int = 12

    @nn.compact
    def __call__(self, tokens):
        x = nn.Embed(self.vocab, 64)(tokens)
        x = nn.RNN(nn.GRUCell(64))(x)
        return nn.Dense(self.tags)(x)


class BestKeeper:
    """Writes the parameters of the lowest validation loss."""

    def __init__(self, path):
        self.path = Path(path)
        self.lowest = float("inf")

    def offer(self, state, loss):
        if loss >= self.lowest:
            return False
        self.lowest = loss
        params = jax.device_get(jax_utils.unreplicate(state).params)
        self.path.write_bytes(serialization.to_bytes(params))
        return True

    def restore(self, template):
        return serialization.from_bytes(template, self.path.read_bytes())


def token_loss(params, apply_fn, tokens, tags):
    logits = apply_fn({"params": params}, tokens)
    return optax.softmax_cross_entropy_with_integer_labels(logits, tags).mean()


def train_step(state, tokens, tags):
    loss, grads = jax.value_and_grad(token_loss)(state.params, state.apply_fn, tokens, tags)
    grads, loss = jax.lax.pmean((grads, loss), "d")
    return state.apply_gradients(grads=grads), loss


def valid_step(state, tokens, tags):
    return jax.lax.pmean(token_loss(state.params, state.apply_fn, tokens, tags), "d")


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--epochs", type=int, default=3)
    parser.add_argument("--batch", type=int, default=64)
    args = parser.parse_args()
    rng = np.random.default_rng(0)
    tokens = rng.integers(0, 1000, (1024, 24))
    tags = tokens % 12
    held_tokens, held_tags = rng.integers(0, 1000, (128, 24)), None
    held_tags = held_tokens % 12
    model = Tagger()
    params = model.init(jax.random.key(0), jnp.zeros((1, 24), jnp.int32))["params"]
    state = jax_utils.replicate(TrainState.create(apply_fn=model.apply, params=params, tx=optax.adam(1e-3)))
    p_train, p_valid = jax.pmap(train_step, axis_name="d"), jax.pmap(valid_step, axis_name="d")
    keeper = BestKeeper("best.msgpack")
    for epoch in range(args.epochs):
        order = rng.permutation(len(tokens))
        for pick in order[: len(order) // args.batch * args.batch].reshape(-1, args.batch):
            state, _ = p_train(state, shard(tokens[pick]), shard(tags[pick]))
        loss = float(p_valid(state, shard(held_tokens), shard(held_tags))[0])
        kept = keeper.offer(state, loss)
        print(epoch, round(loss, 4), "kept" if kept else "")
    best = keeper.restore(params)
    logits = jax.jit(model.apply)({"params": best}, held_tokens)
    print("accuracy", float((logits.argmax(-1) == held_tags).mean()))


if __name__ == "__main__":
    main()
