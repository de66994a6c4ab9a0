import argparse

import jax
import jax.numpy as jnp
import optax
from flax import jax_utils
from flax import linen as nn
from flax.training.train_state import TrainState

import data


class MLP(nn.Module):
    @nn.compact
    def __call__(self, x):
        x = nn.relu(nn.Dense(512)(x))
        x = nn.relu(nn.Dense(256)(x))
        return nn.Dense(10)(x)


def train_step(state, batch):
    def loss_fn(params):
        logits = state.apply_fn({"params": params}, batch["image"])
        return optax.softmax_cross_entropy_with_integer_labels(logits, batch["label"]).mean()

    loss, grads = jax.value_and_grad(loss_fn)(state.params)
    grads = jax.lax.pmean(grads, axis_name="batch")
    return state.apply_gradients(grads=grads), jax.lax.pmean(loss, axis_name="batch")


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--pattern", required=True)
    parser.add_argument("--batch", type=int, default=1024)
    parser.add_argument("--steps", type=int, default=5000)
    args = parser.parse_args()
    jax.distributed.initialize()
    model = MLP()
    params = model.init(jax.random.PRNGKey(0), jnp.zeros((1, 784)))["params"]
    state = TrainState.create(apply_fn=model.apply, params=params, tx=optax.adam(1e-3))
    state = jax_utils.replicate(state)
    p_step = jax.pmap(train_step, axis_name="batch", donate_argnums=(0,))
    feed = data.local_batches(args.pattern, args.batch, seed=0)
    for step in range(args.steps):
        state, loss = p_step(state, data.to_devices(next(feed)))
        if step % 200 == 0 and jax.process_index() == 0:
            print(step, float(jax_utils.unreplicate(loss)))


if __name__ == "__main__":
    main()
