from absl import app, flags
import flax.linen as nn
from flax import jax_utils
from flax.training import train_state
import jax
import jax.numpy as jnp
import ml_collections
from ml_collections import config_flags
import optax

from input_pipeline import train_iterator

FLAGS = flags.FLAGS
config_flags.DEFINE_config_file("config", None, "Hyperparameters.")


class Cnn(nn.Module):
    @nn.compact
    def __call__(self, x):
        for width in (32, 64, 128):
            x = nn.relu(nn.Conv(width, (3, 3), strides=2)(x))
        return nn.Dense(1000)(x.mean((1, 2)))


def step(state, batch):
    def loss_fn(params):
        logits = state.apply_fn({"params": params}, batch["image"])
        return optax.softmax_cross_entropy_with_integer_labels(logits, batch["label"]).mean()

    loss, grads = jax.value_and_grad(loss_fn)(state.params)
    grads = jax.lax.pmean(grads, "batch")
    return state.apply_gradients(grads=grads), jax.lax.pmean(loss, "batch")


def main(argv):
    del argv
    config: ml_collections.ConfigDict = FLAGS.config
    jax.distributed.initialize()
    model = Cnn()
    params = model.init(jax.random.PRNGKey(config.seed), jnp.zeros((1, 128, 128, 3)))["params"]
    state = train_state.TrainState.create(apply_fn=model.apply, params=params, tx=optax.sgd(config.lr, 0.9))
    state = jax_utils.replicate(state)
    p_step = jax.pmap(step, axis_name="batch", donate_argnums=0)
    batches = train_iterator(config)
    for i in range(config.steps):
        state, loss = p_step(state, next(batches))
        if i % 100 == 0 and jax.process_index() == 0:
            print(i, float(loss[0]))


if __name__ == "__main__":
    app.run(main)
