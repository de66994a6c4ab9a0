import flax.linen as nn
import jax
import jax.numpy as jnp
import numpy as np
import optax
from flax import jax_utils
from flax.training.common_utils import shard
from flax.training.train_state import TrainState

from sampler import Sampler


class CharModel(nn.Module):
    vocab: int = 64

    @nn.compact
    def __call__(self, seq):
        x = nn.Embed(self.vocab, 48)(seq)
        x = nn.RNN(nn.OptimizedLSTMCell(48))(x)
        return nn.Dense(self.vocab)(x)


def train_step(state, seq):
    def loss_fn(params):
        logits = state.apply_fn({"params": params}, seq[:, :-1])
        return optax.softmax_cross_entropy_with_integer_labels(logits, seq[:, 1:]).mean()

    loss, grads = jax.value_and_grad(loss_fn)(state.params)
    grads = jax.lax.pmean(grads, "cores")
    return state.apply_gradients(grads=grads), jax.lax.pmean(loss, "cores")


def show(state, sampler, key):
    params = jax_utils.unreplicate(state.params)
    count = sum(leaf.size for leaf in jax.tree.leaves(params))
    rows = np.asarray(sampler(params, key, 2))
    print(f"{count} weights:", *("".join(chr(32 + t) for t in row) for row in rows), sep="\n  ")


def main(steps=30, batch=32):
    k_init, k_show = jax.random.split(jax.random.key(0))
    model = CharModel()
    params = model.init(k_init, jnp.zeros((1, 8), jnp.int32))["params"]
    state = jax_utils.replicate(TrainState.create(apply_fn=model.apply, params=params, tx=optax.adam(3e-3)))
    p_step = jax.pmap(train_step, axis_name="cores", donate_argnums=0)
    sampler = Sampler(model.apply, length=12)
    rng = np.random.default_rng(0)
    for i in range(steps):
        start = rng.integers(0, 64, (batch, 1))
        state, loss = p_step(state, shard((start + np.arange(17)) % 64))
        if i % 10 == 9:
            print(i, float(loss[0]))
            show(state, sampler, jax.random.fold_in(k_show, i))


if __name__ == "__main__":
    main()
