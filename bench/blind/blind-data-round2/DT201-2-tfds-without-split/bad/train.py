from absl import app, flags

import flax.linen as nn
import jax
import jax.numpy as jnp
import optax
from flax import jax_utils
from flax.training import common_utils, train_state

from data import train_iterator

FLAGS = flags.FLAGS
flags.DEFINE_integer("global_batch", 512, "examples per step over all hosts")
flags.DEFINE_integer("steps", 2000, "")
flags.DEFINE_float("lr", 1e-3, "")


class CNN(nn.Module):
    @nn.compact
    def __call__(self, x):
        for width in (32, 64):
            x = nn.relu(nn.Conv(width, (3, 3), strides=2)(x))
        return nn.Dense(10)(x.reshape(x.shape[0], -1))


def train_step(state, batch):
    def loss_fn(params):
        logits = state.apply_fn({"params": params}, batch["image"])
        return optax.softmax_cross_entropy_with_integer_labels(logits, batch["label"]).mean()

    loss, grads = jax.value_and_grad(loss_fn)(state.params)
    grads, loss = jax.lax.pmean((grads, loss), axis_name="batch")
    return state.apply_gradients(grads=grads), loss


def main(_):
    jax.distributed.initialize()
    model = CNN()
    params = model.init(jax.random.PRNGKey(0), jnp.ones((1, 28, 28, 1)))["params"]
    state = train_state.TrainState.create(apply_fn=model.apply, params=params, tx=optax.adam(FLAGS.lr))
    state = jax_utils.replicate(state)
    p_step = jax.pmap(train_step, axis_name="batch", donate_argnums=(0,))
    batches = train_iterator("mnist", FLAGS.global_batch // jax.process_count(), seed=0)
    for step in range(FLAGS.steps):
        state, loss = p_step(state, common_utils.shard(next(batches)))
        if step % 100 == 0 and jax.process_index() == 0:
            print(step, float(loss[0]))


if __name__ == "__main__":
    app.run(main)
