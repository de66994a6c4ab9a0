import flax.linen as nn
import jax
import jax.numpy as jnp
import numpy as np
import optax
from absl import logging
from clu import metric_writers
from flax import jax_utils
from flax.training import checkpoints, train_state


class CNN(nn.Module):
    @nn.compact
    def __call__(self, x):
        for features in (16, 32):
            x = nn.relu(nn.Conv(features, (3, 3))(x))
            x = nn.max_pool(x, (2, 2), strides=(2, 2))
        return nn.Dense(10)(x.reshape(x.shape[0], -1))


def create(key, lr):
    model = CNN()
    params = model.init(key, jnp.zeros((1, 16, 16, 1)))["params"]
    return train_state.TrainState.create(apply_fn=model.apply, params=params, tx=optax.sgd(lr, 0.9))


def train_step(state, images, labels):
    def loss_fn(params):
        logits = state.apply_fn({"params": params}, images)
        loss = optax.softmax_cross_entropy_with_integer_labels(logits, labels).mean()
        return loss, logits

    (loss, logits), grads = jax.value_and_grad(loss_fn, has_aux=True)(state.params)
    metrics = {"loss": loss, "accuracy": jnp.mean(jnp.argmax(logits, -1) == labels)}
    grads, metrics = jax.lax.pmean((grads, metrics), axis_name="batch")
    return state.apply_gradients(grads=grads), metrics


def run(workdir, steps=400, per_device=32):
    writer = metric_writers.create_default_writer(workdir, just_logging=jax.process_index() > 0)
    state = jax_utils.replicate(create(jax.random.PRNGKey(0), 0.05))
    step_fn = jax.pmap(train_step, axis_name="batch", donate_argnums=(0,))
    rng = np.random.default_rng(jax.process_index())
    n = jax.local_device_count()
    for step in range(1, steps + 1):
        images = rng.normal(size=(n, per_device, 16, 16, 1)).astype(np.float32)
        labels = (images.mean(axis=(2, 3, 4)) > 0).astype(np.int32)
        state, metrics = step_fn(state, images, labels)
        if step % 100 == 0:
            writer.write_scalars(step, {k: float(v) for k, v in jax_utils.unreplicate(metrics).items()})
            logging.info("step %d", step)
    if jax.process_index() == 0:
        checkpoints.save_checkpoint(workdir, jax_utils.unreplicate(state), steps)


if __name__ == "__main__":
    run("/tmp/cnn")
